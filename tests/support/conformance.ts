/** Runs the protocol's own conformance suite, a program, with this process's arguments. */

await import("@modelcontextprotocol/conformance/dist/index.js");
