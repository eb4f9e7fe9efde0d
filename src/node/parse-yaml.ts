import { exactInteger } from './json.ts'

/** Loads the YAML package, which takes longer than most commands that never read YAML. */
export const loadYaml = () => import('yaml')

/**
 * Parses JSON or YAML as people write it: `+14155550142` and `0044` are texts, not numbers, and large integers keep all
 * digits. Users have files that depend on it: what is read as a text stays one. @throws Error with the position of a syntax error
 */
export async function parseYaml(text: string): Promise<unknown> {
  const { parseDocument, visit } = await loadYaml()
  const document = parseDocument(text)
  const [error] = document.errors
  if (error) throw error
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value !== 'number' || scalar.source === undefined) return
      if (/^(?:\+|-?0\d)/.test(scalar.source)) scalar.value = scalar.source
      else if (/^-?[1-9]\d{15,999}$/.test(scalar.source)) scalar.value = exactInteger(scalar.source)
    },
  })
  return document.toJS({ maxAliasCount: 100 })
}
