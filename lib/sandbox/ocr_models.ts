// The models of the stand-in for text recognition.

const CAPABILITIES = {
  completion_chat: false,
  completion_fim: false,
  function_calling: false,
  fine_tuning: false,
  vision: true,
  ocr: true,
};

/** The models as `GET /v1/models` shows them. */
export const OCR_MODELS = [
  modelOf("sandbox-ocr-4", ["mistral-ocr-4", "mistral-ocr-latest"]),
  modelOf("sandbox-ocr-3", ["mistral-ocr-2512"]),
  { ...modelOf("sandbox-chat-1", []), capabilities: { ...CAPABILITIES, ocr: false } },
];

/** Whether a document may be sent to it, by its id or by another name. */
export function isOcrModel(name: string): boolean {
  return OCR_MODELS.some(({ id, aliases, capabilities }) =>
    capabilities.ocr && (id === name || aliases.includes(name))
  );
}

function modelOf(id: string, aliases: readonly string[]) {
  return {
    id,
    object: "model",
    created: Date.parse("2026-06-01T00:00:00Z") / 1000,
    owned_by: "sandbox",
    capabilities: CAPABILITIES,
    name: id,
    description: "Made up for the sandbox",
    max_context_length: 16_384,
    aliases,
    deprecation: null,
    type: "base",
  };
}
