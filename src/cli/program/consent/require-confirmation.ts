import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Command } from '../commandline/command.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'
import { consentError, usageError } from '../errors/usage-error.ts'

/**
 * Rejects a value of `--confirm` that is neither one of the names to confirm nor the name of the profile, before
 * anything is sent. @throws ClientFailure `usage`
 */
export async function requireConfirmedName(
  context: Context,
  confirmed: unknown,
  names: readonly unknown[],
): Promise<void> {
  if (typeof confirmed !== 'string') return
  const known = names.flatMap((it) => (it === null || it === undefined || it === '' ? [] : [String(it)]))
  const { profileName } = await context.settings()
  if (confirmed === profileName.value || known.includes(confirmed)) return
  const [name = profileName.value] = known
  throw usageError(
    `--confirm ${stringifyJson(confirmed)} does not match the ${known.length > 0 ? 'name' : 'profile name'} ${stringifyJson(name)}. Nothing was sent.`,
    `To confirm, pass --confirm ${/^[\w.+-]+$/.test(name) ? name : stringifyJson(name)}.`,
  )
}

/** What is asked on a terminal, and refused without one. */
export interface ConfirmationRequest {
  /**
   * The question, including price, period and what is lost. It is also the summary of a single request that waits for approval:
   * gate.ts compares it again before it sends, so it has the same text as long as what is agreed to is the same.
   */
  readonly question: string
  /** Error message without a terminal; a sentence. */
  readonly refusalMessage: string
}

/** What an answer affects, shown before the question. */
export interface QuestionScope {
  /** The platform that the answer affects (default: that of the command). */
  readonly settings?: Pick<Settings, 'profileName' | 'baseUrl'>
  /** Whether the action also reaches systems outside, which a local platform does not simulate. */
  readonly reachesOutside?: boolean
}

/**
 * Returns where an answer takes effect: `[staging · https://platform.example]`, `[local · simulated]`. Stored summaries of approvals
 * begin with it, and that of a single request is compared before it is sent (gate.ts): after a change of this form, what waits must be
 * asked for again.
 */
export function platformLabel(
  { profileName, baseUrl }: Pick<Settings, 'profileName' | 'baseUrl'>,
  reachesOutside = false,
): string {
  if (baseUrl.value !== localProfile.base_url)
    return `[${[...new Set([profileName.value, baseUrl.value])].join(' · ')}]`
  const name = profileName.value === baseUrl.value ? 'local' : profileName.value
  return reachesOutside ? `[${name}]` : `[${name} · simulated]`
}

const startWithPlatform = async (context: Context, question: string, scope: QuestionScope): Promise<string> =>
  `${platformLabel(scope.settings ?? (await context.settings()), scope.reachesOutside)} ${question}`

/** Asks yes or no on a terminal (default: no). The question starts with the platform that it is about. */
export async function askConfirmation(context: Context, question: string, scope: QuestionScope = {}): Promise<boolean> {
  const prompts = await context.prompts()
  return prompts.confirm(await startWithPlatform(context, question, scope))
}

/** Asks to type a name on a terminal. The question starts with the platform that it is about. */
export async function askName(
  context: Context,
  question: string,
  name: string,
  scope: QuestionScope = {},
): Promise<boolean> {
  const prompts = await context.prompts()
  return prompts.confirmName(await startWithPlatform(context, question, scope), name)
}

/**
 * Confirms an action that cannot be undone (destructive, billable): prompts on a terminal (default: No), requires
 * `--yes` elsewhere. With `isAskedAgain` a terminal also asks despite `--yes`.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function requireConfirmation(
  context: Context,
  { question, refusalMessage }: ConfirmationRequest,
  { isAskedAgain = false, ...scope }: QuestionScope & { readonly isAskedAgain?: boolean } = {},
): Promise<void> {
  if (await context.approvals.replacesConfirmation(question)) return
  if (context.globals.yes && !(isAskedAgain && context.interactive)) return
  if (!context.interactive) throw consentError(refusalMessage, 'Pass --yes to confirm.')
  if (!(await askConfirmation(context, question, scope))) throw consentError('Cancelled.', 'Nothing was changed.')
  if (!context.promptAnswers.some((it) => 'flag' in it && it.flag === '--yes'))
    context.promptAnswers.push({ flag: '--yes' })
}

interface PlanConfirmation<T> {
  /** What is to be carried out, as a plain value: target, price, version, hash of the content. */
  readonly plan: T
  /** Value of `context.pauses()` when the plan was read (default: now). */
  readonly readAt?: number
  /** Asks for consent to a plan. `isAskedAgain` is true after a change, which `--yes` does not cover. */
  ask(plan: T, isAskedAgain: boolean): Promise<unknown>
  /** Reads the plan again. An error ends the command before the request, for example a price above the limit. */
  read(): Promise<T>
  /**
   * Returns one sentence with the old and the new value for each change that matters. With none, the current plan is carried out
   * without another question: what is omitted here may change unnoticed.
   */
  describeChanges(agreed: T, current: T): readonly string[]
}

/**
 * Confirms a plan and returns what was agreed to. After a person has answered a prompt, the plan is read again, right
 * before it is carried out. If it changed, the changes are shown, and a terminal asks again. Without a pause nothing is
 * read.
 *
 * @throws ClientFailure exit 10 without confirmation, `conflict` for a change that no person was asked about
 */
export async function confirmPlan<T>(
  context: Context,
  { plan, readAt = context.pauses(), ask, read, describeChanges }: PlanConfirmation<T>,
): Promise<T> {
  let agreed = plan
  let pauses = readAt
  let changes: readonly string[] = []
  for (;;) {
    await ask(agreed, changes.length > 0)
    if (context.pauses() === pauses) {
      if (changes.length > 0) throw changedPlan(changes)
      return agreed
    }
    pauses = context.pauses()
    const current = await read()
    changes = describeChanges(agreed, current)
    if (changes.length === 0) return current
    if (!context.interactive) throw changedPlan(changes)
    await context.notes.warn(changes.join('\n'))
    agreed = current
  }
}

/**
 * A confirmation with the values that it is about, each by its name in a sentence: `The price`. Only they are compared after the
 * question: what is not in `terms` may change without another one.
 */
export interface Terms extends ConfirmationRequest {
  readonly terms: Readonly<Record<string, string>>
}

/** Confirms terms, which are read again and compared after a person was asked. @throws as `confirmPlan` does */
export const confirmTerms = (context: Context, plan: Terms, read: () => Promise<Terms>): Promise<Terms> =>
  confirmPlan(context, {
    plan,
    read,
    ask: (request, isAskedAgain) => requireConfirmation(context, request, { isAskedAgain }),
    describeChanges: ({ terms: agreed }, { terms: current }) =>
      [...new Set([...Object.keys(agreed), ...Object.keys(current)])]
        .filter((name) => agreed[name] !== current[name])
        .map((name) => `${name} changed from ${agreed[name] ?? 'none'} to ${current[name] ?? 'none'}.`),
  })

const changedPlan = (changes: readonly string[]): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: [...changes, 'Nothing was sent.'].join('\n'),
    hint: 'Run the command again to decide about the current values.',
    sent: false,
  })

/**
 * Checks the profile and `--confirm` before a command writes. What only a local platform has belongs to no profile, and
 * needs no name.
 */
export async function guardCommand(
  context: Context,
  { endpoint, confirmsName }: Pick<Command, 'endpoint' | 'confirmsName'>,
  confirmed: string | boolean | undefined,
): Promise<void> {
  if (endpoint?.auth !== 'control') return guardWrite(context, confirmed as string | undefined, confirmsName)
  if (!confirmsName) await requireConfirmedName(context, confirmed, [])
}

/**
 * Rejects writes in a read-only profile, and asks for the profile name in a protected one. With `mayNameResource`, the
 * command itself checks a value of `--confirm` that is not the profile.
 */
export async function guardWrite(
  context: Context,
  confirmed: string | undefined,
  mayNameResource = false,
): Promise<void> {
  if (!mayNameResource) await requireConfirmedName(context, confirmed, [])
  const { profile, profileName } = await context.settings()
  if (profile.read_only)
    throw usageError(
      `Profile "${profileName.value}" is read-only.`,
      `Allow writes: parley profile set ${profileName.value} --no-read-only. More: parley help profiles.`,
    )
  if (!profile.protected || confirmed === profileName.value) return
  if (await context.approvals.replacesConfirmation()) return
  if (!context.interactive)
    throw consentError(
      `Profile "${profileName.value}" is protected: writes require confirmation by name.`,
      `Pass --confirm ${profileName.value} to confirm. More: parley help profiles.`,
    )
  if (!(await askName(context, `Profile "${profileName.value}" is protected.`, profileName.value)))
    throw consentError('Cancelled: the name does not match.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--confirm', value: profileName.value })
}
