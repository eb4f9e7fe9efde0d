import { runInNewContext } from 'node:vm'
import { parseJson } from '../../../node/json.ts'
import { StepFailure } from '../step-failure.ts'

const patternTimeoutMs = 250

/**
 * Runs a script that applies a regular expression to texts, and returns its result. A pattern that takes longer than
 * 250 ms is stopped, because it would block every other run.
 * @throws StepFailure that names the field of the pattern
 */
export function applyPattern(
  field: string,
  pattern: string,
  script: string,
  variables: Readonly<Record<string, string>>,
): unknown {
  try {
    new RegExp(pattern)
  } catch (error) {
    throw new StepFailure(`${field} is not a valid regular expression: ${(error as Error).message}`)
  }
  try {
    const result = runInNewContext(
      `JSON.stringify(${script})`,
      { ...variables, pattern },
      { timeout: patternTimeoutMs },
    )
    return parseJson(result as string)
  } catch (error) {
    const isSlow = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    throw new StepFailure(
      isSlow
        ? `${field} took longer than ${patternTimeoutMs} ms on this text. Use a simpler regular expression.`
        : `${field} cannot be applied to this text: ${(error as Error).message}`,
    )
  }
}
