import { parseBaseUrl } from '../../../client/transport/base-url.ts'
import { command, type Invocation } from '../../commandline/command.ts'
import { noteActiveProfile } from '../../configuration/active-profile.ts'
import {
  isProfileName,
  localProfile,
  type Profile,
  readConfiguration,
  updateConfiguration,
} from '../../configuration/profiles.ts'
import { readCheckedVocabulary, resolveVocabularyName, vocabularyFlagHelp } from '../../connection/vocabulary-file.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { inputIfMissing } from '../../prompts/prompt-if-missing.ts'
import { toShownProfile, view } from './view.ts'

const nameRule = 'Letters, digits, - and _; at most 63.'

export const set = command({
  summary: 'Make a profile, or change one',
  risk: 'write',
  argument: { name: 'name', describe: 'Name of the profile' },
  flags: [
    { flags: '--url <url>', describe: 'Root address of the platform; "embedded:" for the one inside' },
    { flags: '--api-key-stdin', describe: 'Read the API key from standard input' },
    { flags: '--api-key-command <command>', describe: "A command that prints the key, such as your vault's" },
    {
      flags: '--default-output <form>',
      describe: 'Output form when nothing else says',
      choices: ['table', 'json', 'ndjson', 'yaml', 'tsv', 'id'],
    },
    { flags: '--vocabulary <name>', describe: vocabularyFlagHelp },
    {
      flags: '--routes <file>',
      describe: 'Paths and parameter names that differ, by endpoint (JSON or YAML); "none" for those of the contract',
    },
    { flags: '--protected', describe: "Ask for the profile's name before every write" },
    { flags: '--no-protected', describe: 'Write without asking' },
    { flags: '--read-only', describe: 'Refuse every write' },
    { flags: '--no-read-only', describe: 'Allow writes' },
  ],
  examples: [
    'staging --url https://assistants.example --api-key-stdin < key.txt',
    'production --protected',
    'production --api-key-command "pass show parley"',
    'production --vocabulary public --routes routes.yaml',
  ],
  notes: 'The key is kept in the configuration, readable by you alone, unless a command gives it.',
  view,
  async run(context, { argument: given, flags }) {
    const argument = await inputIfMissing(context, given, (it) => isProfileName(it) || nameRule, {
      question: 'Name of the profile:',
      missingMessage: 'Which profile? Give its name.',
      hint: 'List them: parley profile list.',
    })
    if (!isProfileName(argument)) throw usageError(`"${argument}" is not a name for a profile.`, nameRule)
    const url = (flags.url as string | undefined) ?? context.globals.baseUrl
    if (argument === 'local' && url !== undefined)
      throw usageError(
        'The profile "local" is the platform inside Parley; its address cannot be changed.',
        'Choose another name.',
      )
    if (argument === 'local' && (flags.apiKeyStdin || flags.apiKeyCommand !== undefined))
      throw usageError(
        'The key of "local" is in the data folder and nowhere else.',
        'For another account of that platform: parley profile set <name> --url embedded: --api-key-stdin.',
      )
    const before = readConfiguration(context.world).profiles[argument]
    if (!before && url === undefined)
      throw usageError(`A new profile needs an address: parley profile set ${argument} --url <url>.`)
    if (url !== undefined && url !== localProfile.base_url) parseBaseUrl(url, context.globals.insecure === true)
    const change = await readChange(context, flags)
    const next = await updateConfiguration(context.world, (it) => ({
      ...it,
      profiles: {
        ...it.profiles,
        [argument]: clean({
          ...(it.profiles[argument] ?? { base_url: '' }),
          ...(url !== undefined && { base_url: url }),
          ...change,
        }),
      },
    }))
    await context.out.record(toShownProfile(argument, next.profiles[argument] as Profile, next.current), { view })
    await noteActiveProfile(context, argument)
  },
})

async function readChange(
  context: Context,
  flags: Invocation['flags'],
): Promise<Partial<Record<keyof Profile, unknown>>> {
  const change: Partial<Record<keyof Profile, unknown>> = {}
  if (flags.apiKeyStdin) {
    const key = (await context.world.streams.stdin.text()).trim()
    if (!/^[\x21-\x7e]+$/.test(key)) throw usageError('Standard input held no API key.', 'One line, such as 12|AbCd…')
    Object.assign(change, { api_key: key, api_key_command: undefined })
  }
  if (flags.apiKeyCommand !== undefined)
    Object.assign(change, { api_key_command: flags.apiKeyCommand, api_key: undefined })
  if (flags.defaultOutput !== undefined) change.output = flags.defaultOutput
  if (flags.vocabulary !== undefined) {
    change.vocabulary = resolveVocabularyName(context.world, String(flags.vocabulary))
    if (change.vocabulary !== undefined) await readCheckedVocabulary(String(change.vocabulary))
  }
  if (flags.routes !== undefined)
    change.routes =
      flags.routes === 'none'
        ? undefined
        : await (await import('../../connection/routes-file.ts')).readRoutes(context.world, String(flags.routes))
  if (flags.protected !== undefined) change.protected = flags.protected
  if (flags.readOnly !== undefined) change.read_only = flags.readOnly
  return change
}

const clean = (profile: object): Profile =>
  Object.fromEntries(
    Object.entries(profile).filter(([, value]) => value !== undefined && value !== false),
  ) as unknown as Profile
