/** `/desk/events`. */

import { answerDesk, deskMethods, seeDesk } from "../../components/desk/desk.tsx";

export const handler = deskMethods({
  async GET(request) {
    return await answerDesk(request, { title: "Events", children: <p>Nothing yet.</p> });
  },
  POST: () => seeDesk("/desk/events", "read"),
});
