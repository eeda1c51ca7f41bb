/** The runtime in the browser during development: it also reloads the page after a restart of the server. */

export { boot } from "./client.ts";

function connect(isAgain: boolean): void {
  const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/_frsh/alive`);
  socket.onopen = () => {
    if (isAgain) location.reload();
  };
  socket.onclose = () => setTimeout(() => connect(true), 300);
}

connect(false);
