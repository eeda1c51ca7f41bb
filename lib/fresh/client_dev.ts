/** The browser's part in development: the same, and a reload when the server has restarted. */

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
