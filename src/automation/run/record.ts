import { hideIn, hideSecrets } from '../definition/secrets.ts'
import { maxInput } from './limits.ts'

/** Marks a value that was too large to be stored. */
const omitted = 'omitted'

/** JSON without secrets; null when there are none in it. */
export function shownOf(json: string | undefined, secrets: readonly string[]): string | null {
  // One look at the whole text is much cheaper than one at every text in it.
  if (json === undefined || secrets.length === 0 || hideSecrets(json, secrets) === json) return null
  return JSON.stringify(hideIn(JSON.parse(json), secrets))
}

/** What a step was given, as it is stored for people. */
export function recordOf(given: unknown, secrets: readonly string[]): string | null {
  const json = JSON.stringify(given)
  if (json === undefined) return null
  const shown = shownOf(json, secrets) ?? json
  if (shown.length <= maxInput.length) return shown
  return JSON.stringify({
    [omitted]: `${shown.length} characters; the first ${maxInput.beginning} are in "beginning"`,
    beginning: shown.slice(0, maxInput.beginning),
  })
}
