import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeFileError } from '../../../../node/file-error.ts'
import type { Invocation } from '../../../program/commandline/command.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { ModelEndpoint } from './model-recorder.ts'

/** Flag for the script of the local model. */
export const modelScriptFlag = {
  flags: '--model-script <path>',
  describe: 'Script of the local model',
  env: 'PARLEY_MODEL_SCRIPT',
} as const

/** Returns the language model of the environment. @throws ClientFailure `usage` if it is invalid, or needed and missing */
export async function modelEndpoint(
  { system: { env }, globals, settings }: Pick<Context, 'system' | 'globals' | 'settings'>,
  flags: Invocation['flags'] = {},
): Promise<ModelEndpoint | undefined> {
  const { PARLEY_MODEL_URL: url, PARLEY_MODEL_KEY: key, PARLEY_MODEL_TIMEOUT: timeout } = env
  const model = typeof flags.model === 'string' ? flags.model : env.PARLEY_MODEL
  if (!url) {
    if (flags.record === true || flags.liveModel === true || flags.model !== undefined)
      throw usageError('No language model is configured.', 'Set PARLEY_MODEL_URL, PARLEY_MODEL and PARLEY_MODEL_KEY.')
    return undefined
  }
  // It is not repeated, because it may contain a password, or be a key in the wrong variable.
  const { protocol = '', username, password } = URL.canParse(url) ? new URL(url) : {}
  if (!/^https?:$/.test(protocol))
    throw usageError('PARLEY_MODEL_URL is invalid.', 'Use an http or https URL, such as http://127.0.0.1:11434/v1.')
  if (username || password)
    throw usageError('PARLEY_MODEL_URL must not contain a user name or password.', 'Set PARLEY_MODEL_KEY to the key.')
  if (!model) throw usageError('Missing model name.', 'Set PARLEY_MODEL to the name of the model at PARLEY_MODEL_URL.')
  // The flag counts for every request of a command. PARLEY_TIMEOUT is for those to the platform, which answer sooner.
  const isGiven = (globals.requestTimeout ?? globals.timeout) !== undefined
  const timeoutMs = isGiven ? (await settings()).timeoutMs.value : (Number(timeout) || 60) * 1000
  return { url, model, key: key || undefined, timeoutMs }
}

/** Returns the full path of a model script. @throws ClientFailure `usage` if it cannot be read */
export function requireScript({ cwd }: Context['system'], given: string): string {
  const path = resolve(cwd, given)
  try {
    readFileSync(path)
  } catch (error) {
    throw usageError(`Could not read --model-script ${given}: ${describeFileError(error)}.`)
  }
  return path
}
