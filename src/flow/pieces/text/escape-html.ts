const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for HTML, also inside attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (it) => entities[it] as string)
