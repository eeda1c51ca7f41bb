/** The runtime in the browser during development: it also reloads the page after a restart of the server. */

export { boot } from "./client.ts";

let startedAt: string | null = null;

function connect(): void {
  const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/_frsh/alive`);
  socket.onmessage = ({ data }) => {
    if (startedAt !== null && startedAt !== data) location.reload();
    startedAt = data;
  };
  socket.onclose = () => setTimeout(connect, 300);
}

connect();
