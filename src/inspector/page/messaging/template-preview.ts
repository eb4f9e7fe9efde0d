/** Returns the text of a template with the names of its variables in place of `{{1}}` or `{{name}}`. */
export function fillTemplate(text: string, variables: readonly string[]): string {
  return text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (_, key: string) => {
    const name = /^\d+$/.test(key) ? variables[Number(key) - 1] : key
    return `[${(name ?? key).replaceAll('_', ' ')}]`
  })
}
