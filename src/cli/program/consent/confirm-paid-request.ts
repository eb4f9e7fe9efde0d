// Questions before a single paid request: about its price, and about a repetition. The purchase of a number, bulk work and
// approvals have questions of their own. A profile decides from which price on; scripts rely on exit code 10 and `--yes`.

import { findRepeated } from '../../../client/journal/open-operations.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { formatDuration } from '../../../contract/values/duration.ts'
import { usd } from '../../../contract/values/money.ts'
import { currentKeyMark, isSameAccount } from '../connection/account-cache.ts'
import type { Context } from '../context.ts'
import { reportedPrice } from '../operations/budget.ts'
import { confirmTerms, requireConfirmation, type Terms } from './require-confirmation.ts'

type Fields = Readonly<Record<string, unknown>>

/** Price in USD from which a single paid message is confirmed on a terminal, if the profile does not set it. */
const defaultConfirmAbove = 1

/**
 * Confirms a single paid request that can cost at least `confirm_above` of the profile. An unknown price counts as
 * above it in a protected profile. Scripts are asked for `--yes` only if the profile sets `confirm_above`. `readUsd` is the price
 * if the caller has read it; 0 if the request costs nothing.
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmSpend(
  context: Context,
  { name }: Endpoint,
  input: unknown,
  readUsd?: number,
): Promise<void> {
  const { profile, profileName } = await context.settings()
  const limit = profile.confirm_above ?? (context.interactive ? defaultConfirmAbove : undefined)
  // Scripts of before this question must still run, so without a terminal only the setting of the profile asks.
  if (limit === undefined || context.globals.yes) return
  const fields = (input ?? {}) as Fields
  const recipient = fields.recipient_phone ?? fields.to
  const read = async (known?: number): Promise<Terms & { readonly isAbove: boolean }> => {
    const price = known ?? (await reportedPrice(context, name, fields))
    const isKnown = price !== undefined && Number.isFinite(price)
    const cost = isKnown ? usd(price) : 'unknown'
    const least = `confirm_above of profile "${profileName.value}" is ${usd(limit)}`
    return {
      isAbove: isKnown ? price >= limit : profile.protected === true,
      question: `Cost: ${cost}. Send this${recipient === undefined ? '' : ` to ${recipient}`}?`,
      refusalMessage: isKnown
        ? `This costs ${cost} and requires confirmation: ${least}.`
        : `The price is not known, and this requires confirmation: ${least}, and the profile is protected.`,
      terms: { 'The price': cost },
    }
  }
  const terms = await read(readUsd)
  // A request that costs nothing cannot get a price while the question is open. Any other price is read again.
  if (terms.isAbove) await confirmTerms(context, terms, () => read(readUsd === 0 ? 0 : undefined))
}

/**
 * A repetition within this time is more likely a mistake than meant. It is a time of this computer: moving the clock of the
 * platform does not change how long ago a person sent something.
 */
const repeatMs = 60_000

/**
 * Says that the same message was sent, or the same call started, less than a minute ago: with a question on a terminal if
 * `asks`, else as a warning. An idempotency key makes a repetition harmless.
 * @throws ClientFailure exit 10 if the question was answered with No
 */
export async function confirmRepeat(context: Context, { name }: Endpoint, input: Fields, asks: boolean): Promise<void> {
  const { system, writeSettings, globals } = context
  if (writeSettings.idempotencyKey !== undefined) return
  const settings = await context.settings()
  const { platform: baseUrl } = await context.connection()
  const intent = { endpoint: name, input, idempotencyKey: '', profile: settings.profileName.value, baseUrl }
  const keyMark = await currentKeyMark(context)
  const earlier = findRepeated(
    await context.journal(),
    { ...intent, ...(keyMark !== undefined && { keyMark }) },
    system.now() - repeatMs,
    { sameAccount: (a, b) => isSameAccount(system, settings.baseUrl.value, a, b) },
  )
  if (!earlier) return
  const recipient = input.recipient_phone ?? input.to ?? input.phone_number
  const { costUsd = earlier.priceUsd } = (earlier.detail ?? {}) as { readonly costUsd?: number }
  const what =
    name === 'sms.send'
      ? 'The same SMS was sent'
      : name === 'calls.start'
        ? 'The same call was started'
        : 'The same message was sent'
  const isMoved = Math.abs(context.clockDifferenceMs() ?? 0) > repeatMs
  const age = `${formatDuration((system.now() - Date.parse(earlier.at)) / 1000)} ago${isMoved ? ' by the clock of this computer' : ''}`
  const text = `${what} to ${recipient} ${age}${typeof costUsd === 'number' ? ` (${usd(costUsd)})` : ''}.`
  if (asks && context.interactive && !globals.yes)
    await requireConfirmation(context, { question: `${text} Send it again?`, refusalMessage: text })
  else await context.notes.warn(text)
}
