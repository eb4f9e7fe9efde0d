import { ClientFailure } from '../../client/failures/client-failure.ts'
import { parseBaseUrl } from '../../client/transport/base-url.ts'
import { user } from '../../contract/resources/user.ts'
import { command, type Invocation } from '../program/commandline/command.ts'
import { noteActiveProfile } from '../program/configuration/active-profile.ts'
import {
  isProfileName,
  localProfile,
  maskKey,
  type Profile,
  readConfiguration,
  updateConfiguration,
} from '../program/configuration/profiles.ts'
import { resolveSettings, type Settings } from '../program/configuration/settings.ts'
import { type DetectedVocabulary, detectVocabulary } from '../program/connection/detect-vocabulary.ts'
import {
  readCheckedVocabulary,
  resolveVocabularyName,
  vocabularyFlagHelp,
} from '../program/connection/vocabulary-file.ts'
import type { Context } from '../program/context.ts'
import { usageError } from '../program/errors/usage-error.ts'
import { idView } from '../program/output/format.ts'
import { recordArgument, recordFlag } from '../program/prompts/equivalent-command.ts'
import { promptSecret } from '../program/prompts/prompt-fields.ts'

/** Command `login`. The key is checked with the platform before anything is saved. */
export const login = command({
  needsPerson: true,
  callsPlatform: true,
  summary: 'Sign in to a platform with an API key',
  risk: 'write',
  argument: { name: 'name', describe: 'Name of the profile', optional: true },
  flags: [
    { flags: '--url <url>', describe: 'Base URL of the platform' },
    { flags: '--api-key-stdin', describe: 'Read the API key from standard input' },
    { flags: '--vocabulary <name>', describe: `${vocabularyFlagHelp} (default: detected)` },
  ],
  examples: [
    '',
    'production --url https://assistants.example',
    'ci --url https://assistants.example --api-key-stdin < key.txt',
  ],
  notes:
    'Prompts for missing values on a terminal; the key is hidden while you type. The URL and the key are saved as a profile only after the platform accepted the key. The profile becomes the default. An existing profile keeps its other settings.',
  async run(context, { argument, flags }) {
    const name = await nameOf(context, argument ?? context.globals.profile)
    const before = readConfiguration(context.system).profiles[name]
    const url = await urlOf(context, name, (flags.url as string | undefined) ?? context.globals.baseUrl, before)
    const key = await keyOf(context, flags)
    const { vocabulary, ...rest } = { ...before, base_url: url }
    const given =
      flags.vocabulary === undefined ? vocabulary : resolveVocabularyName(context.system, String(flags.vocabulary))
    if (flags.vocabulary !== undefined && given !== undefined) await readCheckedVocabulary(given)
    const settings = await settingsFor(
      context,
      name,
      { ...rest, ...(given !== undefined && { vocabulary: given }) },
      key,
    )

    const isOpen = flags.vocabulary === undefined && vocabulary === undefined
    const { me, found } = await abortable(context, () =>
      context.progress.showWhile('Checking the API key', async () => {
        const me = await check(context, settings)
        return { me, found: isOpen ? await detectIfUnset(context, settings) : undefined }
      }),
    )
    const { why, ...spoken } = chooseVocabulary(given, flags.vocabulary !== undefined, found)
    const { api_key_command: _, ...otherSettings } = rest
    await updateConfiguration(context.system, (configuration) => ({
      current: name,
      profiles: {
        ...configuration.profiles,
        [name]: {
          ...otherSettings,
          ...(spoken.vocabulary !== null && { vocabulary: spoken.vocabulary }),
          api_key: key,
        },
      },
    }))
    await printSignedIn(context, { profile: name, base_url: url, ...me, key: maskKey(key), ...spoken }, why)
  },
})

async function nameOf(context: Context, given: string | undefined): Promise<string> {
  const check = (text: string): true | string =>
    isProfileName(text) || `Invalid profile name "${text}". Use letters, digits, - and _; at most 63.`
  if (given === undefined && !context.interactive)
    throw usageError('Missing profile name.', 'Run: parley login <name> --url <url> --api-key-stdin')
  const name = given ?? (await (await context.prompts()).input('Profile name:', { validate: check }))
  if (given === undefined) recordArgument(context, name)
  const verdict = check(name)
  if (verdict !== true) throw usageError(verdict)
  if (name === 'local')
    throw usageError('The profile "local" is the local platform and needs no sign-in.', 'Choose another name.')
  return name
}

async function urlOf(
  context: Context,
  name: string,
  given: string | undefined,
  before: Profile | undefined,
): Promise<string> {
  const insecure = context.globals.insecure === true
  if (given === undefined && before === undefined && !context.interactive)
    throw usageError('Missing --url for the new profile.', `Run: parley login ${name} --url <url>`)
  const validate = (text: string): true | string => {
    try {
      if (text !== localProfile.base_url) parseBaseUrl(text, insecure)
      return true
    } catch (error) {
      return (error as Error).message
    }
  }
  const url =
    given ?? before?.base_url ?? (await (await context.prompts()).input('Base URL of the platform:', { validate }))
  if (given === undefined && before === undefined) recordFlag(context, '--url', url)
  if (url !== localProfile.base_url) parseBaseUrl(url, insecure)
  return url
}

const checkKey = (it: string): true | string => /^[\x21-\x7e]+$/.test(it) || 'Invalid API key. Use the form 12|AbCd…'

async function keyOf(context: Context, flags: Invocation['flags']): Promise<string> {
  if (!flags.apiKeyStdin && !context.interactive)
    throw usageError(
      'Missing API key, and there is no terminal to prompt for it.',
      'Pass it on standard input: --api-key-stdin < key.txt.',
    )
  if (!flags.apiKeyStdin) {
    const typed = await promptSecret(await context.prompts(), 'API key:', (it) => checkKey(it.trim()))
    context.promptAnswers.push({ flag: '--api-key-stdin < key.txt' })
    return typed.trim()
  }
  const key = (await context.system.streams.stdin.text()).trim()
  if (checkKey(key) !== true)
    throw usageError('No API key on standard input.', 'Pipe in one line with the key, for example 12|AbCd…')
  return key
}

/** Runs work before anything is saved. Ctrl-C always aborts it, with a note that nothing was saved. */
async function abortable<T>({ system: { signal }, notes }: Context, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work()
    signal.throwIfAborted()
    return done
  } catch (error) {
    if (signal.aborted) await notes.note('Interrupted. Nothing was saved.')
    throw error
  }
}

/** Returns the settings of a profile before it is saved: its own URL and key, without the environment. */
async function settingsFor(
  { system, globals }: Context,
  name: string,
  profile: Profile,
  key: string,
): Promise<Settings> {
  const base = await resolveSettings(system, { ...globals, baseUrl: profile.base_url }, undefined)
  const value = { value: profile.base_url, from: 'login' }
  return {
    ...base,
    profileName: { value: name, from: 'login' },
    profile,
    baseUrl: value,
    key: { from: 'login', value: key },
  }
}

/** Checks the key with the platform. An error says that nothing was saved. */
async function check(context: Context, settings: Settings): Promise<object> {
  const connected = await context.connectTo(settings)
  try {
    return await connected.call(user.me, {})
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.exit === 'interrupted') throw error
    const { exit, code, message, status, requestId } = error
    const isRefusal = exit === 'auth'
    throw new ClientFailure({
      exit,
      code,
      message: isRefusal ? `${connected.base} rejected the API key: ${message}` : message,
      hint: `${isRefusal ? 'Copy the key again; it has the form 12|AbCd….' : (error.hint ?? 'Try again.')} Nothing was saved.`,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    })
  } finally {
    await connected.close()
  }
}

/** Detects the vocabulary of the platform from its responses; undefined if it is inconclusive. */
async function detectIfUnset(context: Context, settings: Settings): Promise<DetectedVocabulary | undefined> {
  return detectVocabulary(context, { ...settings, retries: { value: 0, from: 'login' } })
}

/** Returns the vocabulary for the profile, and its source. */
function chooseVocabulary(
  given: string | undefined,
  isFlag: boolean,
  found: DetectedVocabulary | undefined,
): Pick<SignedIn, 'vocabulary' | 'vocabulary_source'> & { readonly why: string } {
  const named = given ?? 'neutral'
  if (isFlag)
    return {
      vocabulary: given ?? null,
      vocabulary_source: 'flag',
      why: `Vocabulary: ${named} (from --vocabulary).`,
    }
  if (given !== undefined)
    return { vocabulary: given, vocabulary_source: 'profile', why: `Vocabulary: ${named} (unchanged).` }
  if (!found)
    return {
      vocabulary: null,
      vocabulary_source: 'default',
      why: 'Vocabulary: neutral (default). It could not be detected, because the platform shows no senders or numbers for sale. Set another with --vocabulary.',
    }
  const vocabulary = found.vocabulary === 'public' ? 'public' : null
  return {
    vocabulary,
    vocabulary_source: 'detected',
    why: `Vocabulary: ${found.vocabulary}, because ${found.evidence}.`,
  }
}

/** Printed result. Scripts read it as JSON: fields and words are added, not renamed. */
interface SignedIn {
  readonly profile: string
  readonly base_url: string
  readonly key: string
  readonly vocabulary: string | null
  /** Source of the vocabulary. */
  readonly vocabulary_source: 'flag' | 'profile' | 'detected' | 'default'
  readonly name?: string
}

async function printSignedIn(context: Context, signedIn: SignedIn, why: string): Promise<void> {
  const { out, notes } = context
  const { profile, base_url, name } = signedIn
  const sentence = `Signed in to ${base_url}${name === undefined ? '' : ` as ${name}`}. Saved as profile "${profile}".`
  await out.result(signedIn, () => out.line(sentence), { view: idView(() => profile) })
  await notes.note(why)
  await noteActiveProfile(context, profile)
  await notes.note('To switch back to the local platform: parley profile use local')
}
