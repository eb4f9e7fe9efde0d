import { hideSecrets, hideSecretsIn } from '../../flow/definition/secrets.ts'
import { maxInput } from './run-limits.ts'

/** Marks a value that was too large to be stored. */
const omittedKey = 'omitted'

/** JSON without secrets; null when there are none in it. */
export function hideSecretsInJson(json: string | undefined, secrets: readonly string[]): string | null {
  // One look at the whole text is much cheaper than one at every text in it.
  if (json === undefined || secrets.length === 0 || hideSecrets(json, secrets) === json) return null
  return JSON.stringify(hideSecretsIn(JSON.parse(json), secrets))
}

/** What a step was given, as it is stored for people. */
export function toStoredInput(input: unknown, secrets: readonly string[]): string | null {
  const json = JSON.stringify(input)
  if (json === undefined) return null
  const shown = hideSecretsInJson(json, secrets) ?? json
  if (shown.length <= maxInput.length) return shown
  return JSON.stringify({
    [omittedKey]: `${shown.length} characters; the first ${maxInput.beginning} are in "beginning"`,
    beginning: shown.slice(0, maxInput.beginning),
  })
}
