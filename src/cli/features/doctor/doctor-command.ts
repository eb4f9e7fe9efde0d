import { platformName } from '../../../client/failures/platform-name.ts'
import { addressKey } from '../../../client/transport/platform-address.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { user } from '../../../contract/resources/user.ts'
import { usd } from '../../../contract/values/money.ts'
import { throwIfInterrupted } from '../../../node/interruption.ts'
import { findNodeProblem } from '../../../node/tested-nodes.ts'
import { command } from '../../program/commandline/command.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import { settingSources } from '../../program/configuration/setting-origins.ts'
import { resolveSettings, type Settings } from '../../program/configuration/settings.ts'
import { findServer } from '../../program/connection/connect.ts'
import type { Context } from '../../program/context.ts'
import { consentError, usageError } from '../../program/errors/usage-error.ts'
import { budgetFlag } from '../../program/operations/billing-flags.ts'
import { addressCommands, platformFlags } from '../../program/output/addressed-commands.ts'
import type { View } from '../../program/output/format.ts'
import { entryLines } from '../../program/output/tables/cards.ts'
import { withParts } from '../../program/system.ts'
import { checkAccount } from './account/check-account.ts'
import { fixVariables } from './account/fix-variables.ts'
import type { ConformanceResult } from './conformance/conformance-report.ts'
import type { ReceiverOptions } from './conformance/webhook-deliveries.ts'
import { type Finding, failedWith, ok, titleOf, warning } from './finding.ts'
import {
  checkAgent,
  checkConfiguration,
  checkDataFolder,
  checkLocalPlatform,
  checkServer,
  hasDatabase,
} from './local-checks.ts'
import { checkPlatform } from './platform-checks.ts'

const view: View<Finding> = {
  id: (it) => it.check,
  columns: [
    { key: 'status', title: 'Status', priority: 2, kind: 'choice' },
    { key: titleOf, field: 'check', title: 'Check', priority: 1 },
    { key: 'detail', title: 'Details', priority: 2, flexible: true },
    { key: 'hint', title: 'Fix', priority: 3, flexible: true },
  ],
  empty: 'No checks.',
}

export const doctor = command({
  callsPlatform: true,
  exits: ['finding', 'consent'],
  summary: 'Check configuration, connection and resources',
  worksWithoutSettings: true,
  startsEmpty: true,
  flags: [
    { flags: '--strict', describe: 'Count warnings as failures, and tolerated differences as drift' },
    {
      flags: '--voice',
      describe: 'Check only the account: balance, assistants, numbers, campaigns and automations',
    },
    { flags: '--reach', describe: 'Also check tool and webhook URLs, with OPTIONS requests without a payload' },
    { flags: '--conformance', describe: 'Compare every response of the platform with its documentation' },
    {
      flags: '--writes',
      describe: 'With --conformance: also create, change and delete records in the account, on any platform',
    },
    {
      flags: budgetFlag,
      describe: 'With --writes: maximum total cost in USD; without it, nothing that costs money is sent',
    },
    {
      flags: '--second-profile <name>',
      describe: 'With --writes: profile of another account, whose key must not find the records',
    },
    {
      flags: '--receiver-url <url>',
      describe: 'With --conformance: public URL that forwards to the receiver of webhooks on this machine',
    },
    {
      flags: '--receiver-port <port>',
      describe: 'Port of that receiver on 127.0.0.1 (default: any free port; 8787 with --receiver-url)',
    },
    {
      flags: '--fix',
      describe: 'Add variables that enabled automations filter on to the assistants that do not extract them',
    },
    { flags: '--confirm <name>', describe: 'Name of the protected profile, to confirm --fix' },
  ],
  examples: [
    '',
    '--profile production',
    '--strict --json',
    '--voice --strict --json',
    '--fix --yes',
    '--conformance',
    '--conformance --profile production --json',
    '--conformance --profile staging --writes --budget 10',
  ],
  notes:
    'Only reads and changes nothing, except with --fix. The exit code is 20 when a check failed.\nAccount checks find missing references, incompatible voices, languages, models and providers, numbers, senders and templates that cannot do what they are used for, numbers and events with several owners, and enabled automations with invalid definitions. They also find a balance that will not last until the next charges, numbers and senders without an assistant, and senders without templates. Resources that nothing uses are findings of "parley audit". Each finding names the resource and a fix. --reach sends requests from this machine without a payload, and never to link-local addresses.\nWith --fix, the missing variables are shown, added after you confirm (--yes without a terminal), and read back. To remove them again: parley history undo <entry>.\nWith --conformance each endpoint is "same", "tolerated" (differs, but is understood), "drift" (exit code 20) or "not checked", with the reason. On the local platform and on a Parley server, endpoints that write are checked too, including what they reject, in a temporary account that is deleted afterwards. Other platforms are only read. With --writes, the check also creates, changes and deletes its own records there, in the account of the key, and names what it cannot delete, such as conversations. Only with --budget, it also buys a number, sends messages and places a call, and never for more than the budget in total. Where a platform does not show a price before, a message counts as 0.25 USD, a call or a started campaign as 1.00 USD, and a number without a price as at least 2.00 USD.\nWhere writes are checked, the check receives webhooks on 127.0.0.1 and compares the delivery and its signature. A conversation without a cost ends for it, which can take 95 seconds; the post-call webhook needs a call. A deployment on another machine reaches the receiver only through --receiver-url, for example the URL of a tunnel.',
  view,
  async run(context, { flags }) {
    if (flags.conformance && (flags.voice || flags.reach || flags.fix))
      throw usageError('--conformance cannot be combined with --voice, --reach or --fix.', 'Pass one of them.')
    if (!flags.conformance && (flags.writes || flags.budget !== undefined || flags.secondProfile !== undefined))
      throw usageError('--writes, --budget and --second-profile require --conformance.', 'Add --conformance.')
    if (!flags.writes && (flags.budget !== undefined || flags.secondProfile !== undefined))
      throw usageError('--budget and --second-profile require --writes.', 'Add --writes.')
    if (!flags.conformance && (flags.receiverUrl !== undefined || flags.receiverPort !== undefined))
      throw usageError('--receiver-url and --receiver-port require --conformance.', 'Add --conformance.')
    if (flags.conformance)
      return conformance(context, {
        strict: flags.strict === true,
        writes: flags.writes === true,
        secondProfile: flags.secondProfile as string | undefined,
        receiver: receiverOptions(flags.receiverUrl, flags.receiverPort),
      })
    const reach = flags.reach === true
    const check = (): Promise<Finding[]> =>
      context.progress.showWhile('Checking', (setText) =>
        (flags.voice ? checkVoice : runChecks)(context, reach, setText),
      )
    let findings = await check()
    if (flags.fix && (await fix(context, findings, flags.confirm as string | undefined))) findings = await check()
    const place = platformFlags(context.globals)
    findings = findings.map((it) => ({ ...it, hint: it.hint && addressCommands(it.hint, place) }))
    const troubled = findings.filter((it) => it.status !== 'ok')
    if (context.out.isForPeople && context.out.settings.terminal) await printForPeople(context, findings)
    else await context.out.list(findings, { view })
    const bad = troubled.filter((it) => flags.strict || it.status === 'failed')
    return bad.length > 0 ? 'finding' : 'done'
  },
})

const conformityView: View<ConformanceResult> = {
  id: (it) => it.endpoint,
  columns: [
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'endpoint', title: 'Endpoint', priority: 1 },
    { key: 'case', title: 'Case', priority: 2 },
    {
      key: ({ differences, note }) => (differences.length > 0 ? differences.map(describeDifference).join('; ') : note),
      title: 'Differences',
      priority: 1,
      flexible: true,
    },
  ],
  empty: 'No endpoints to compare.',
}

const describeDifference = ({ path, expected, seen }: ConformanceResult['differences'][number]): string =>
  `${path}: expected ${expected}, got ${seen}`

async function conformance(
  context: Context,
  {
    strict,
    writes,
    secondProfile,
    receiver,
  }: {
    readonly strict: boolean
    readonly writes: boolean
    readonly secondProfile: string | undefined
    readonly receiver: ReceiverOptions
  },
): Promise<ExitName> {
  const settings = await context.settings()
  const { profile, profileName } = settings
  if (writes && (await context.approvals.isRequired()))
    throw consentError(
      '--writes changes and deletes records and can spend money, which a person must do here. Nothing was sent.',
      'Ask a person to run it on a terminal: parley doctor --conformance --writes. Or omit --writes.',
    )
  if (writes && (profile.protected || profile.read_only))
    throw usageError(
      `--writes is refused: profile "${profileName.value}" is ${profile.read_only ? 'read-only' : 'protected'}.`,
      'Use a profile of a test account, or omit --writes.',
    )
  if (profile.budget !== undefined && context.writeSettings.budgetUsd !== undefined)
    throw usageError(
      `--budget is refused: profile "${profileName.value}" has a budget, and the check records no spending.`,
      'Omit --budget, or use a profile of a test account.',
    )
  const other = secondProfile === undefined ? undefined : await secondSettings(context, settings, secondProfile)
  const { checkConformance } = await import('./conformance/check-conformance.ts')
  const { budgetUsd } = context.writeSettings
  const { rows, costUsd, remaining } = await context.progress.showWhile(
    'Comparing',
    checkConformance(context, settings, { writes, budgetUsd, other, receiver }),
  )
  await context.out.list(rows, { view: conformityView })
  const count = (status: ConformanceResult['status']): number => rows.filter((it) => it.status === status).length
  await context.notes.note(
    `${rows.length} cases: ${(['same', 'tolerated', 'drift', 'not_checked'] as const).map((it) => `${count(it)} ${it.replace('_', ' ')}`).join(', ')}.`,
  )
  if (costUsd !== undefined)
    await context.notes.note(
      `Maximum cost of the writes: ${usd(costUsd)}${budgetUsd === undefined ? '' : ` of --budget ${usd(budgetUsd)}`}.`,
    )
  if (remaining.length > 0) await context.notes.warn(`Not deleted: ${remaining.join(', ')}.`)
  return count('drift') > 0 || (strict && count('tolerated') > 0) ? 'finding' : 'done'
}

/** Returns where the receiver of webhooks listens. @throws ClientFailure `usage` for an invalid URL or port */
function receiverOptions(url: unknown, port: unknown): ReceiverOptions {
  if (url !== undefined && !/^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(String(url)))
    throw usageError(
      `Invalid --receiver-url "${url}".`,
      'Pass a URL without a query, such as https://hooks.example.com.',
    )
  if (port !== undefined && !(/^\d{1,5}$/.test(String(port)) && Number(port) >= 1 && Number(port) <= 65_535))
    throw usageError(`Invalid --receiver-port "${port}".`, 'Pass a port from 1 to 65535.')
  return {
    url: url as string | undefined,
    port: port === undefined ? (url === undefined ? undefined : 8787) : Number(port),
  }
}

/**
 * Returns the settings with the key of another profile. @throws ClientFailure `usage` if its platform is another one
 */
async function secondSettings({ system }: Context, settings: Settings, name: string): Promise<Settings> {
  const { PARLEY_PROFILE: _, PARLEY_BASE_URL: __, PARLEY_API_KEY: ___, ...env } = system.env
  const plain = withParts(system, { env })
  const { baseUrl, key } = await resolveSettings(plain, { profile: name }, undefined)
  const [own, other] = [settings.baseUrl.value, baseUrl.value]
  const isSame =
    own === other ||
    (own !== localProfile.base_url && other !== localProfile.base_url && addressKey(own) === addressKey(other))
  if (!isSame)
    throw usageError(
      `--second-profile "${name}" is of ${platformName(other)}, and the check is of ${platformName(own)}.`,
      'Use a profile with a key of another account on the same platform.',
    )
  return { ...settings, key }
}

/** Fixes what `--fix` can fix. Returns whether anything changed. */
async function fix(context: Context, findings: readonly Finding[], confirm: string | undefined): Promise<boolean> {
  if (!findings.some((it) => it.check === 'automation_variables')) {
    await context.notes.note('Nothing to fix: no assistant lacks a variable.')
    return false
  }
  return fixVariables(context, confirm)
}

/** Checks only the account. A failed request ends the command, as in other commands. */
async function checkVoice(context: Context, reach: boolean, onProgress: (text: string) => void): Promise<Finding[]> {
  const { baseUrl } = await context.settings()
  if (baseUrl.value === localProfile.base_url && !hasDatabase(context.system) && !findServer(context.system))
    return [ok('account', 'Not created yet: the local platform is created at its first use.')]
  const { base } = await context.connection()
  await context.call(user.me, {})
  const { call, out } = context
  return checkAccount(context, { call, base, now: out.settings.now, reach: reach && context, onProgress })
}

async function runChecks(context: Context, reach: boolean, onProgress: (text: string) => void): Promise<Finding[]> {
  const { system } = context
  const found: Finding[] = [ok('parley', `Parley ${system.version} on ${system.runtime}, ${system.os}.`)]
  const untested = findNodeProblem(system.runtime)
  if (untested) found.push(warning('node', untested.problem, untested.fix))
  found.push(
    ...checkAgent(system),
    ...checkConfiguration(system),
    ...checkDataFolder(system),
    checkServer(context),
    ...(await checkLocalPlatform(context)),
  )
  let settings: Settings
  try {
    settings = await context.settings()
  } catch (error) {
    return [...found, failedWith('profile', error)]
  }
  const { baseUrl } = settings
  found.push(ok('profile', describeProfile(settings)))
  if (baseUrl.value === localProfile.base_url && !hasDatabase(system) && !findServer(system)) return found
  // A local database that cannot be opened fails the connection for the same reason.
  const known = new Set(found.flatMap((it) => (it.status === 'failed' ? [it.detail] : [])))
  const remote = (await checkPlatform(context, settings, { reach, onProgress })).filter((it) => !known.has(it.detail))
  await throwIfInterrupted(system.signal)
  return [...found, ...remote]
}

/** Describes the platform in use, and which setting selects it. */
function describeProfile({ profileName, baseUrl, profile }: Settings): string {
  const place = baseUrl.value === localProfile.base_url ? 'the local platform' : baseUrl.value
  if (baseUrl.from === profileName.from) return `None: ${place} is used (set by ${baseUrl.from}).`
  const reason = profileName.from === settingSources.builtIn ? 'the default' : `set by ${profileName.from}`
  return `"${profileName.value}", ${reason}: ${place}${profile.read_only ? ', read-only' : profile.protected ? ', protected' : ''}.`
}

/** Prints one check per line, with its fix below it. */
async function printForPeople({ out, notes }: Context, findings: readonly Finding[]): Promise<void> {
  const entries = findings.map((finding) => ({
    title: `${finding.status.padEnd(7)}  ${titleOf(finding)}`,
    text: finding.hint === null ? finding.detail : `${finding.detail}\n-> ${finding.hint}`,
    isStatus: false,
  }))
  const text = await entryLines(entries, { color: false, columns: out.settings.columns })
  await out.line(text.trimEnd())
  const count = (status: Finding['status']): number => findings.filter((it) => it.status === status).length
  await notes.note(`${findings.length} checks: ${count('failed')} failed, ${count('warning')} with a warning.`)
}
