/** The service's APIs for machines that look for them: a linkset (RFC 9264) as RFC 9727 asks for it. */

/** The type of {@linkcode apiCatalog}. */
export const CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The address of the description, of its page, and of the catalog. */
export const ADDRESSES = {
  description: "/api/v1/openapi.json",
  page: "/api/v1/docs",
  catalog: "/.well-known/api-catalog",
} as const;

/** Where both APIs are, what describes them, and where their health is told. */
export function apiCatalog(baseUrl: string): unknown {
  const described = {
    "service-desc": [{ href: `${baseUrl}${ADDRESSES.description}`, type: "application/json" }],
    "service-doc": [{ href: `${baseUrl}${ADDRESSES.page}`, type: "text/html" }],
    "status": [{ href: `${baseUrl}/up`, type: "application/json" }],
  };
  return {
    linkset: [
      { anchor: `${baseUrl}/api/v1/events`, ...described },
      { anchor: `${baseUrl}/proxy/v1`, ...described },
    ],
  };
}
