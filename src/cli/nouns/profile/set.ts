import { parseBaseUrl } from '../../../client/transport/base-url.ts'
import { parseBudget } from '../../../contract/values/budgets.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { command, type Invocation } from '../../program/commandline/command.ts'
import { noteActiveProfile } from '../../program/configuration/active-profile.ts'
import {
  approvalChoices,
  isProfileName,
  localProfile,
  type Profile,
  readConfiguration,
  updateConfiguration,
} from '../../program/configuration/profiles.ts'
import {
  readCheckedVocabulary,
  readRoutes,
  resolveVocabularyName,
  vocabularyFlagHelp,
} from '../../program/connection/vocabulary-file.ts'
import type { Context } from '../../program/context.ts'
import { consentError, usageError } from '../../program/errors/usage-error.ts'
import { formats } from '../../program/output/format.ts'
import { inputIfMissing } from '../../program/prompts/prompt-if-missing.ts'
import { saveInKeychain } from '../../program/secrets/keychain.ts'
import { forPeople, toShownProfile, view } from './view.ts'

const nameRule = 'Use letters, digits, - and _; at most 63.'

/** Command `profile set`. A key is in the keychain, and read back from there, before the configuration loses it. */
export const set = command({
  needsPerson: true,
  summary: 'Create or change a profile',
  risk: 'write',
  argument: { name: 'name', describe: 'Name of the profile' },
  flags: [
    { flags: '--url <url>', describe: 'Base URL of the platform; "embedded:" for the local platform' },
    { flags: '--api-key-stdin', describe: 'Read the API key from standard input' },
    {
      flags: '--api-key-command <command>',
      describe: 'Command that prints the API key, for example of a password manager',
    },
    {
      flags: '--keychain',
      describe: 'Save the API key in the keychain of the system instead of the configuration file',
    },
    {
      flags: '--default-output <format>',
      describe: 'Default output format',
      choices: formats,
    },
    {
      flags: '--default-history <on|off>',
      describe: 'Whether writes save the previous state for an undo',
      choices: ['on', 'off'],
    },
    { flags: '--vocabulary <name>', describe: vocabularyFlagHelp },
    {
      flags: '--routes <file>',
      describe: 'JSON or YAML file with different paths and parameter names by endpoint; "none" for the defaults',
    },
    { flags: '--protected', describe: 'Require the profile name before every write' },
    { flags: '--no-protected', describe: 'Allow writes without the profile name' },
    { flags: '--read-only', describe: 'Reject every write' },
    { flags: '--no-read-only', describe: 'Allow writes' },
    {
      flags: '--approvals <who>',
      describe: 'Whose purchases, messages, deletions and live changes a person must approve (parley help approvals)',
      choices: approvalChoices,
    },
    {
      flags: '--confirm-above <usd>',
      describe:
        'Confirm a single paid message that costs at least this amount in USD, also in scripts; "default" for 1 on a terminal',
    },
    {
      flags: '--budget <usd/period>',
      describe: 'Most to spend in a UTC day or month, such as 20/day or 50/month; "none" for no limit',
    },
  ],
  examples: [
    'staging --url https://assistants.example --api-key-stdin < key.txt',
    'production --protected --confirm-above 0.50',
    'production --budget 50/month',
    'staging --keychain',
    'production --api-key-command "pass show parley"',
    'production --vocabulary public --routes routes.yaml',
  ],
  notes:
    'The API key is saved in the configuration file, which only you can read, unless a command prints it or --keychain is given. --keychain uses secret-tool on Linux and security on macOS, also for a key that is in the file already.\nThe budget counts what the journal of this machine knows: purchases, messages, calls and campaigns sent with this profile, or with another profile of the same account. What has an unknown outcome, and a call, counts with its maximum. Only a person can change it (parley help approvals).',
  view,
  async run(context, { argument: given, flags }) {
    const argument = await inputIfMissing(context, given, (it) => isProfileName(it) || nameRule, {
      question: 'Profile name:',
      missingMessage: 'Missing profile. Pass its name.',
      hint: 'List them: parley profile list.',
    })
    if (!isProfileName(argument)) throw usageError(`Invalid profile name "${argument}".`, nameRule)
    const url = (flags.url as string | undefined) ?? context.globals.baseUrl
    if (argument === 'local' && url !== undefined)
      throw usageError('The profile "local" is the local platform. Its URL cannot be changed.', 'Choose another name.')
    if (argument === 'local' && (flags.apiKeyStdin || flags.keychain || flags.apiKeyCommand !== undefined))
      throw usageError(
        'The API key of profile "local" is in the data folder and cannot be changed.',
        'For another account of the local platform: parley profile set <name> --url embedded: --api-key-stdin.',
      )
    const before = readConfiguration(context.system).profiles[argument]
    if (!before && url === undefined)
      throw usageError(
        `Missing --url for the new profile "${argument}". Run: parley profile set ${argument} --url <url>.`,
      )
    if (url !== undefined && url !== localProfile.base_url) parseBaseUrl(url, context.globals.insecure === true)
    const change = await readChange(context, flags)
    if (flags.keychain)
      Object.assign(change, await moveToKeychain(context, argument, change.api_key ?? before?.api_key, flags))
    const next = await updateConfiguration(context.system, (configuration) => ({
      ...configuration,
      profiles: {
        ...configuration.profiles,
        [argument]: clean({
          ...(configuration.profiles[argument] ?? { base_url: '' }),
          ...(url !== undefined && { base_url: url }),
          ...change,
        }),
      },
    }))
    const shown = await toShownProfile(context, argument, next.profiles[argument] as Profile, next.current)
    await context.out.record(forPeople(context, shown, shown), { view })
    await noteActiveProfile(context, argument)
    if (argument !== 'local' && (url !== undefined || flags.apiKeyStdin))
      await context.notes.note(`The URL and the key were not checked: parley whoami --profile ${argument}`)
  },
})

async function readChange(
  context: Context,
  flags: Invocation['flags'],
): Promise<Partial<Record<keyof Profile, unknown>>> {
  const change: Partial<Record<keyof Profile, unknown>> = {}
  if (flags.apiKeyStdin) {
    const key = (await context.system.streams.stdin.text()).trim()
    if (!/^[\x21-\x7e]+$/.test(key))
      throw usageError('No API key on standard input.', 'Pipe in one line with the key, for example 12|AbCd…')
    Object.assign(change, { api_key: key, api_key_command: undefined })
  }
  if (flags.apiKeyCommand !== undefined)
    Object.assign(change, { api_key_command: flags.apiKeyCommand, api_key: undefined })
  if (flags.defaultOutput !== undefined) change.output = flags.defaultOutput
  if (flags.defaultHistory !== undefined) change.history = flags.defaultHistory === 'off' ? 'off' : undefined
  if (flags.vocabulary !== undefined) {
    change.vocabulary = resolveVocabularyName(context.system, String(flags.vocabulary))
    if (change.vocabulary !== undefined) await readCheckedVocabulary(String(change.vocabulary))
  }
  if (flags.routes !== undefined)
    change.routes = flags.routes === 'none' ? undefined : await readRoutes(context.system, String(flags.routes))
  if (flags.approvals === 'off' && !context.interactive)
    throw consentError(
      'Turning approvals off requires a person at a terminal. Nothing was changed.',
      'Run the command in a terminal.',
    )
  if (flags.approvals !== undefined) change.approvals = flags.approvals
  if (flags.protected !== undefined) change.protected = flags.protected
  if (flags.readOnly !== undefined) change.read_only = flags.readOnly
  if (flags.confirmAbove !== undefined) change.confirm_above = parseConfirmAbove(String(flags.confirmAbove))
  if (flags.budget !== undefined) change.budget = parseBudgetFlag(String(flags.budget))
  return change
}

/** @throws ClientFailure `usage` */
function parseBudgetFlag(given: string): Profile['budget'] {
  if (given === 'none') return undefined
  const budget = parseBudget(given)
  if (!budget)
    throw usageError(
      `Invalid --budget "${given}". Use USD per UTC day or month, such as 20/day or 50/month, or "none".`,
    )
  return { amount: fromMillionths(budget.amount), period: budget.period }
}

/** @throws ClientFailure `usage` */
function parseConfirmAbove(given: string): number | undefined {
  if (given === 'default') return undefined
  const amount = given.trim() === '' ? Number.NaN : Number(given)
  if (!Number.isFinite(amount) || amount < 0)
    throw usageError(`Invalid --confirm-above "${given}". Use an amount in USD of at least 0, or "default".`)
  return amount
}

/** Saves a key in the keychain. Returns the change of the profile. @throws ClientFailure `usage` without a key */
async function moveToKeychain(
  { system }: Context,
  name: string,
  key: unknown,
  flags: Invocation['flags'],
): Promise<Partial<Record<keyof Profile, unknown>>> {
  if (flags.apiKeyCommand !== undefined) throw usageError('--keychain and --api-key-command cannot be combined.')
  if (typeof key !== 'string')
    throw usageError('No API key to save in the keychain.', 'Pass it on standard input: --api-key-stdin < key.txt.')
  return { api_key: undefined, api_key_command: await saveInKeychain(system, name, key) }
}

const clean = (profile: object): Profile =>
  Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined && value !== false)) as Profile
