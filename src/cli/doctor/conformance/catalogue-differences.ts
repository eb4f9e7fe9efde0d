import type { AutomationTemplate } from '../../../contract/automations/automation-records.ts'
import type { Difference } from '../../../contract/mechanics/response-differences.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { drift } from './conformance-report.ts'
import type { Fields } from './conformance-session.ts'

/** Values of a template that the specification lists in section 4.20, each with the text to compare. */
const constants: Readonly<Record<string, (it: AutomationTemplate | Fields) => string>> = {
  binding: (it) => stringifyJson(it.binding),
  requires_assistant: (it) => stringifyJson(it.requires_assistant),
  required_connections: (it) =>
    stringifyJson(Array.isArray(it.required_connections) ? [...it.required_connections].sort() : null),
  side_effects: (it) => stringifyJson(it.side_effects),
}

/** Defaults of parameters that the specification lists. */
const documentedDefaults: ReadonlySet<string> = new Set(['qualified_variable'])

/** Compares the templates of a platform with the catalogue of section 4.20. */
export async function catalogueDifferences(rows: readonly Fields[]): Promise<Difference[]> {
  const { templates } = await import('../../../automation/templates/template-catalogue.ts')
  const { toCatalogueEntry } = await import('../../../automation/templates/template.ts')
  const found: Difference[] = []
  for (const documented of templates.map((it) => toCatalogueEntry(it, 0))) {
    const path = `data (${documented.key})`
    const row = rows.find((it) => it.key === documented.key)
    if (!row) {
      found.push(drift(path, 'the template', 'nothing'))
      continue
    }
    for (const [name, read] of Object.entries(constants))
      if (read(row) !== read(documented)) found.push(drift(`${path}.${name}`, read(documented), read(row)))
    found.push(...paramDifferences(`${path}.params`, documented.params, Array.isArray(row.params) ? row.params : []))
  }
  // Other types of keys are reported with the response.
  for (const { key } of rows)
    if (typeof key === 'string' && !templates.some((it) => it.key === key))
      found.push({ path: `data (${key})`, expected: 'nothing', seen: 'another template', tolerated: true })
  return found
}

function paramDifferences(
  path: string,
  documented: AutomationTemplate['params'],
  given: readonly unknown[],
): Difference[] {
  const found: Difference[] = []
  const rows = given.filter(isObject).filter((it) => typeof it.key === 'string')
  for (const { key, required, default: usual } of documented) {
    const row = rows.find((it) => it.key === key)
    if (!row) {
      found.push(drift(`${path} (${key})`, 'the parameter', 'nothing'))
      continue
    }
    if (row.required !== required)
      found.push(drift(`${path} (${key}).required`, String(required), stringifyJson(row.required) ?? 'nothing'))
    if (documentedDefaults.has(key) && row.default !== usual)
      found.push(drift(`${path} (${key}).default`, stringifyJson(usual), stringifyJson(row.default) ?? 'nothing'))
  }
  for (const row of rows) {
    const key = String(row.key)
    if (row.required === true && row.default !== undefined)
      found.push(drift(`${path} (${key}).default`, 'nothing, because the parameter is required', 'a value'))
    if (!documented.some((it) => it.key === key))
      found.push({
        path: `${path} (${key})`,
        expected: 'nothing',
        seen: row.required === true ? 'a required parameter' : 'another parameter',
        tolerated: row.required !== true,
      })
  }
  return found
}
