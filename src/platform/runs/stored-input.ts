import { hideSecrets, hideSecretsIn } from '../../engine/definition/secrets.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { maxInput } from './run-limits.ts'

/** Key that marks a value that was too large to be stored. */
const omittedKey = 'omitted'

/** Returns JSON with its secrets hidden; null if it contains none. */
export function hideSecretsInJson(json: string | undefined, secrets: readonly string[]): string | null {
  // Searching the whole text once is much cheaper than searching every text in it.
  if (json === undefined || secrets.length === 0 || hideSecrets(json, secrets) === json) return null
  return stringifyJson(hideSecretsIn(parseJson(json), secrets))
}

/** Returns the input of a step in the form that is stored for display. */
export function toStoredInput(input: unknown, secrets: readonly string[]): string | null {
  const json = stringifyJson(input)
  if (json === undefined) return null
  const shown = hideSecretsInJson(json, secrets) ?? json
  if (shown.length <= maxInput.length) return shown
  return stringifyJson({
    [omittedKey]: `${shown.length} characters; the first ${maxInput.beginning} are in "beginning"`,
    beginning: shown.slice(0, maxInput.beginning),
  })
}

/** Returns lines as a JSON list to store; null without lines. */
export const toJsonList = (lines: readonly string[]): string | null => (lines.length > 0 ? stringifyJson(lines) : null)
