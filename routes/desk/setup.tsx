/** `/desk/setup`. */

import { answerDesk, deskMethods } from "../../components/desk/desk.tsx";

export const handler = deskMethods({
  async GET(request) {
    return await answerDesk(request, { title: "Setup", children: <p>Nothing yet.</p> });
  },
});
