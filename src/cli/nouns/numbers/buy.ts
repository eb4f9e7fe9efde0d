// Buys a number: choose, compare with --max-price and --budget, ask, buy, read the price back. After an unknown outcome no
// other number is tried, so that one command never buys two.

import type { CallMore } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isOnPlatform } from '../../../client/journal/open-operations.ts'
import { isReplay } from '../../../client/journal/outcome-detail.ts'
import { property } from '../../../client/response-body.ts'
import { defaultOf } from '../../../contract/endpoint/coerce.ts'
import type { Output } from '../../../contract/endpoint/endpoint.ts'
import { replayedHeader } from '../../../contract/endpoint/headers.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { failures, wireCode } from '../../../contract/errors/failures.ts'
import { type AvailableNumber, numbers, type PurchasedNumber } from '../../../contract/resources/numbers.ts'
import { countries } from '../../../contract/values/countries.ts'
import { command, type Invocation } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import {
  type ConfirmationRequest,
  confirmPlan,
  requireConfirmation,
} from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { consentError, usageError } from '../../program/errors/usage-error.ts'
import { countryName } from '../../program/input/phone-number.ts'
import { spendingFlags } from '../../program/operations/billing-flags.ts'
import { compareWithBudget } from '../../program/operations/budget.ts'
import {
  caveat,
  isOwned,
  isPriced,
  isWithinCap,
  monthlyPrice,
  offersOf,
  overpriced,
  priceConflict,
  priceOf,
  pricesOf,
  quote,
  requirePhoneNumber,
} from '../../program/operations/number-offers.ts'
import { toShownEntry } from '../../program/operations/operation-view.ts'
import { settleKey } from '../../program/operations/run-with-key.ts'
import { idView } from '../../program/output/format.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { searchFlags, searchInput } from './search-flags.ts'
import { addressNote } from './view.ts'
import { numberWait } from './wait.ts'

/**
 * Prompts for country and digits, searches, and lets the user choose a number; repeats until there is a match. Numbers
 * above the cap are not offered. @throws ClientFailure exit 5 if all are above it
 */
async function chooseNumber(
  context: Context,
  given: { country_code?: string; contains?: string },
  cap: number | undefined,
): Promise<AvailableNumber> {
  const prompts = await context.prompts()
  const country_code =
    given.country_code ??
    (await prompts.select(
      'Which country?',
      promptChoices(countries, (it) => `${it}  ${countryName(it)}`),
      { searchable: true },
    ))
  let contains = given.contains
  for (;;) {
    contains ??= await prompts.input('Filter by digits (optional):', {
      validate: (it) => /^\d{0,10}$/.test(it) || 'Enter digits only, at most 10.',
    })
    const search = { country_code, ...(contains !== '' && { contains }) }
    const found = await context.progress.showWhile('Searching for numbers', offersOf(context, search))
    if (found.length > 0) {
      const offers = found.filter((it) => isWithinCap(it, cap))
      const others = found.filter((it) => !offers.includes(it))
      if (offers.length === 0) throw overpriced(others, cap)
      if (others.length > 0)
        await context.notes.note(
          `Not shown: ${others.length} of ${found.length} numbers, which cost more than --max-price ${cap}: ${pricesOf(others)}.`,
        )
      await context.notes.note(
        `A search returns only some of the numbers for sale, here ${found.length}. To see others, pass other digits with --contains.`,
      )
      const width = Math.max(...offers.map((it) => it.phone_number_formatted.length))
      const line = (number: AvailableNumber): string =>
        `${number.phone_number_formatted.padEnd(width)}  ${priceOf(number)}  ${number.sms_capable ? 'SMS' : 'no SMS'}${number.address_requirements === 'none' ? '' : `  address: ${number.address_requirements}`}`
      return prompts.select('Which number?', promptChoices(offers, line), { searchable: true })
    }
    await context.notes.note(
      `No numbers in ${country_code}${contains ? ` contain ${contains}` : ''}. Try fewer digits.`,
    )
    contains = undefined
  }
}

type Purchase = Output<typeof numbers.buy>

/** The earlier purchase under an idempotency key of the user. */
interface EarlierPurchase {
  /** The purchase made under the key. */
  readonly answer?: Purchase
  /** The key for the nth number to try, from 0. A rejected number keeps its key. */
  readonly keyOf: (n: number) => string
}

/** Maximum number of phone numbers to try. */
const maxNumbers = 3

/**
 * Asks the platform which purchase was made under an idempotency key. Buys nothing: `candidate` only fills the required
 * field.
 *
 * @throws ClientFailure `unknown` while a purchase under the key is in progress
 */
async function findPurchaseByKey(context: Context, key: string, candidate: string): Promise<EarlierPurchase> {
  // A repeated command, also of a later version, finds the purchase by it: it never changes.
  const keyAt = (n: number): string => (n === 0 ? key : `${key}-${n + 1}`)
  let used = 0
  for (; used < maxNumbers; used++) {
    const more = { idempotencyKey: keyAt(used), isOutcomeQuery: true, acceptsAnyStatus: true }
    const reply = await context.call.raw(numbers.buy, { phone_number: candidate }, more)
    const { status, output, headers } = reply
    if (status >= 200 && status < 300 && property(output, 'data') !== undefined) {
      await settleKey(context, keyAt(used), reply)
      return { answer: output as Purchase, keyOf: keyAt }
    }
    if (status === 409 || status >= 500) throw inProgressError(key)
    // The number was already taken: the next key may hold the purchase of another number. An error of a gateway does not
    // say so.
    if (status !== failures['numbers.not_available'].status || headers[replayedHeader] === undefined) break
  }
  const from = used
  return { keyOf: (n) => keyAt(from + n) }
}

const inProgressError = (key: string): ClientFailure =>
  new ClientFailure({
    exit: 'unknown',
    code: wireCode('idempotency_busy'),
    message: `A purchase with the idempotency key "${key}" is in progress, or its outcome is unknown. Nothing was sent.`,
    hint: 'Run the same command again in a minute.',
    sent: false,
  })

export const buy = command({
  endpoint: numbers.buy,
  filledFields: ['phone_number'],
  allowedFields: ['phone_number'],
  argument: { name: 'number', describe: 'Number to buy, E.164', optional: true },
  flags: [
    ...searchFlags,
    {
      flags: '--max-price <usd>',
      describe: 'Maximum monthly price in USD; "any" also accepts an unknown price',
      env: 'PARLEY_MAX_PRICE',
    },
    ...spendingFlags,
  ],
  exits: ['finding'],
  examples: [
    '',
    '+15005550006',
    '+15005550006 --yes --json --wait',
    '--country US --contains 415 --max-price 3 --yes -o id',
  ],
  notes: `A number is a monthly subscription until you release it. Payments are not refunded.\nWithout a number, you choose one on a terminal. In scripts, the cheapest match is bought, and --max-price and --yes are required.\nAfter you answer the question, the price is read again. A higher price is asked about again, and a price above --max-price or --budget is exit code 5; nothing is bought. On a terminal, a number without a published price requires --max-price any.\nThe number is read back: the exit code is 20 if its price changed during the purchase. A purchase is never sent twice. If the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome.\n${addressNote}`,
  view: idView((it: PurchasedNumber) => it.id),
  waits: numberWait,
  async run(context, { argument, flags, input }) {
    const given = argument ?? (input.phone_number as string | undefined)
    const cap = maxPrice(context, flags)
    if (given === undefined && !context.interactive) return buyCheapest(context, flags, cap)
    if (argument !== undefined && input.phone_number !== undefined)
      throw usageError('The number is given twice: as the argument and as phone_number. Remove one of them.')
    if (given !== undefined && (flags.country !== undefined || flags.contains !== undefined))
      throw usageError('A number cannot be combined with --country or --contains. Pass one or the other.')
    const number = given === undefined ? undefined : await requirePhoneNumber(given)
    if (number !== undefined && (await previewRequest(context, numbers.buy, { phone_number: number }))) return
    const readAt = context.pauses()
    const quoted = number === undefined ? await choose(context, flags, cap) : await quoteFor(context, number, cap)
    const phoneNumber = number ?? (quoted as AvailableNumber).phone_number
    requireWithinCap(phoneNumber, quoted, cap)
    if (number === undefined && (await previewRequest(context, numbers.buy, { phone_number: phoneNumber }))) return
    requireBudgetForOffer(context, quoted)
    const offer = await confirmPlan(context, {
      plan: quoted,
      readAt,
      ask(plan, isAskedAgain) {
        requireKnownPrice(context, phoneNumber, plan, cap)
        return requireConfirmation(context, question(phoneNumber, plan), { isAskedAgain })
      },
      async read() {
        const current = await context.progress.showWhile('Checking the price', offered(context, phoneNumber))
        if (quoted && !current)
          throw priceConflict(
            `${phoneNumber} is not for sale any more. Nothing was bought.`,
            'Search for numbers: parley numbers search.',
          )
        requireWithinCap(phoneNumber, current, cap)
        requireBudgetForOffer(context, current)
        return current
      },
      describeChanges: (agreed, current) => worseTerms(phoneNumber, agreed, current),
    })
    return purchase(context, phoneNumber, offer)
  },
})

const unknownPriceNote = 'Price unknown: the platform does not publish the price of'

/** Returns what is worse in an offer than in the one that was agreed to. */
function worseTerms(
  number: string,
  agreed: AvailableNumber | undefined,
  current: AvailableNumber | undefined,
): readonly string[] {
  const [before, now] = [agreed, current].map((it) => priceUsdOf(it) ?? Number.POSITIVE_INFINITY)
  const [address, required] = [agreed, current].map((it) => it?.address_requirements)
  return [
    ...((now as number) > (before as number)
      ? [`The price of ${number} changed from ${offerPrice(agreed)} to ${offerPrice(current)}.`]
      : []),
    ...(address !== required && required !== 'none'
      ? [`The address requirement of ${number} changed from ${address ?? 'unknown'} to ${required ?? 'unknown'}.`]
      : []),
  ]
}

const offerPrice = (it: AvailableNumber | undefined): string => (it ? priceOf(it) : 'an unknown price')

/** @throws ClientFailure exit 10 on a terminal, unless `--max-price any` accepts an unknown price */
function requireKnownPrice(
  { interactive }: Context,
  number: string,
  offer: AvailableNumber | undefined,
  cap: number | undefined,
): void {
  // Without a terminal, --yes without a limit has agreed to any price. With a limit, `requireWithinCap` has refused it before.
  if (!interactive || cap === Number.POSITIVE_INFINITY || (offer && isPriced(offer))) return
  throw consentError(
    `${unknownPriceNote} ${number}. Nothing was bought.`,
    'To buy it at any monthly price, pass --max-price any.',
  )
}

/** Returns the confirmation, with the price or a note that it is unknown. */
const question = (number: string, offer: AvailableNumber | undefined): ConfirmationRequest =>
  offer && isPriced(offer)
    ? {
        question: `Buy ${number} for ${priceOf(offer)} until you release it (non-refundable${caveat(offer)})?`,
        refusalMessage: `Buying ${number} costs ${priceOf(offer)} until you release it, is non-refundable, and requires confirmation.`,
      }
    : {
        question: `${unknownPriceNote} ${number}. Buy it at any monthly price until you release it (non-refundable${offer ? caveat(offer) : ''})?`,
        refusalMessage: `${unknownPriceNote} ${number}. Buying it is non-refundable and requires confirmation.`,
      }

function maxPrice(context: Context, flags: Invocation['flags']): number | undefined {
  const given = flags.maxPrice ?? (context.system.env.PARLEY_MAX_PRICE || undefined)
  if (given === undefined) return undefined
  if (given === 'any') return Number.POSITIVE_INFINITY
  const cap = Number(given)
  if (!Number.isFinite(cap) || cap < 0)
    throw usageError(`Invalid --max-price "${given}". Use an amount in USD of at least 0, or "any".`)
  return cap
}

async function choose(context: Context, flags: Invocation['flags'], cap: number | undefined): Promise<AvailableNumber> {
  const chosen = await chooseNumber(context, searchInput(flags), cap)
  context.promptAnswers.push({ argument: chosen.phone_number, replacedFlags: ['--country', '--contains'] })
  return chosen
}

/** Returns the current offer; undefined for scripts that passed --yes without --max-price, which need no quote. */
async function quoteFor(
  context: Context,
  number: string,
  cap: number | undefined,
): Promise<AvailableNumber | undefined> {
  const { globals, writeSettings, interactive, approvals } = context
  const isLimited = cap !== undefined || writeSettings.budgetUsd !== undefined
  return globals.yes && !isLimited && !interactive && !(await approvals.isRequired())
    ? undefined
    : context.progress.showWhile('Getting the price', offered(context, number))
}

/**
 * Returns the current offer for the number; undefined if it is not for sale. @throws ClientFailure if the account
 * already owns the number
 */
async function offered(context: Context, number: string): Promise<AvailableNumber | undefined> {
  const offer = await quote(context, number)
  if (!offer && (await isOwned(context, number))) {
    throw new ClientFailure({
      exit: failures['numbers.in_use'].exit,
      code: wireCode('numbers.in_use'),
      message: failures['numbers.in_use'].text,
      hint: 'You already own this number: parley numbers list. Nothing was bought.',
    })
  }
  return offer
}

function requireWithinCap(number: string, offer: AvailableNumber | undefined, cap: number | undefined): void {
  if (cap === undefined || cap === Number.POSITIVE_INFINITY) return
  if (!offer)
    throw priceConflict(
      `Cannot check the price of ${number}: it is not for sale. Nothing was bought.`,
      'Search for numbers: parley numbers search.',
    )
  // A deployment may omit the price. A number with an unknown price is not bought under a cap.
  if (!isWithinCap(offer, cap)) throw overpriced([offer], cap)
}

/** Returns the search for the country and digits of the flags. */
function searchCommand(flags: Invocation['flags']): string {
  const { country_code = String(defaultOf(numbers.search.query.shape.country_code)), contains } = searchInput(flags)
  return `parley numbers search --country ${country_code}${contains ? ` --contains ${contains}` : ''}`
}

/**
 * Buys the cheapest match below the cap, without a terminal and without a number. If a number was taken since the
 * search, the next one is tried.
 */
async function buyCheapest(
  context: Context,
  flags: Invocation['flags'],
  cap: number | undefined,
): Promise<ExitName | undefined> {
  if (cap === undefined)
    throw usageError(
      'Missing number. Pass a number, or --max-price and --yes to buy the cheapest match.',
      `Search for numbers: ${searchCommand(flags)}.`,
    )
  const { idempotencyKey } = context.writeSettings
  // Another run may find another number cheapest, so the number does not identify the purchase.
  if (idempotencyKey !== undefined && !(await context.supports('idempotency')))
    throw usageError(
      'This platform does not advertise idempotency, so --idempotency-key without a number could buy twice. Nothing was bought.',
      'Buy a specific number: parley numbers search, then parley numbers buy <number>.',
    )
  const selection = searchInput(flags)
  const known = (it: AvailableNumber): number => priceUsdOf(it) ?? Number.POSITIVE_INFINITY
  const offers = [...(await offersOf(context, selection))].sort((a, b) => (known(a) < known(b) ? -1 : 1))
  const [cheapest] = offers
  if (!cheapest) throw priceConflict('No matching numbers. Nothing was bought.', 'Try fewer digits or another country.')
  if (!isWithinCap(cheapest, cap)) throw overpriced(offers, cap)
  if (await previewRequest(context, numbers.buy, { phone_number: cheapest.phone_number })) return
  const { question: asked, refusalMessage } = question(cheapest.phone_number, cheapest)
  // A person approves this number, also if another one is cheapest later.
  if (await context.approvals.replacesConfirmation(asked))
    context.approvals.origin.words = ['numbers', 'buy', cheapest.phone_number]
  else if (!context.globals.yes) throw consentError(refusalMessage, 'Pass --yes to confirm.')
  requireBudgetForOffer(context, cheapest)
  const earlier =
    idempotencyKey === undefined ? undefined : await findPurchaseByKey(context, idempotencyKey, cheapest.phone_number)
  if (earlier?.answer) return describePurchase(context, earlier.answer, earlier.answer.data.phone_number, undefined)
  const affordable = offers
    .filter((it) => known(it) <= Math.min(cap, context.writeSettings.budgetUsd ?? cap))
    .slice(0, 3)
  for (const [n, offer] of affordable.entries()) {
    const key = earlier && { idempotencyKey: earlier.keyOf(n) }
    try {
      return await purchase(context, offer.phone_number, offer, {
        // The journal has it: a command that is repeated is the same purchase if it is equal, so that later versions build
        // the same one.
        selection: { country_code: String(defaultOf(numbers.search.query.shape.country_code)), ...selection },
        ...key,
      })
    } catch (error) {
      // Another process that buys the same is not a number that was taken: buying the next one would buy two.
      const taken =
        error instanceof ClientFailure && error.exit === 'conflict' && error.code !== 'operation_in_progress'
      if (!taken || n === affordable.length - 1) throw error
    }
  }
}

const priceUsdOf = (offer: AvailableNumber | undefined): number | undefined =>
  offer && isPriced(offer) ? offer.price : undefined

/** Compares the price of the first month with `--budget`. */
function requireBudgetForOffer(context: Context, offer: AvailableNumber | undefined): void {
  if (context.writeSettings.budgetUsd !== undefined) compareWithBudget(context, priceUsdOf(offer))
}

async function purchase(
  context: Context,
  phoneNumber: string,
  offer: AvailableNumber | undefined,
  more: CallMore = {},
): Promise<ExitName | undefined> {
  const priced = { ...more, priceUsd: priceUsdOf(offer) }
  const work = context.call(numbers.buy, { phone_number: phoneNumber }, priced)
  const bought = await context.progress.showWhile(`Buying ${phoneNumber}`, work)
  return describePurchase(context, bought, phoneNumber, offer)
}

/** Prints a purchase with the price that the platform charges. Returns `finding` if it is not the price of the offer. */
async function describePurchase(
  context: Context,
  answer: Purchase,
  phoneNumber: string,
  offer: AvailableNumber | undefined,
): Promise<ExitName | undefined> {
  const { data, message } = answer
  const isEarlier = isReplay(answer)
  const owned = await readPurchased(context, phoneNumber)
  const quoted = priceUsdOf(offer)
  const charged = typeof owned?.price === 'number' ? owned.price : undefined
  if (charged !== undefined && !isEarlier) await recordPrice(context, phoneNumber, charged)
  const shown = charged ?? quoted
  const price = shown === undefined ? (offer ? `, ${priceOf(offer)}` : '') : `, ${monthlyPrice(shown)}`
  const sentence = isEarlier
    ? `Already bought ${phoneNumber}${price}. Nothing was charged`
    : `${typeof message === 'string' ? message : 'Bought'} ${phoneNumber}${price}`
  await printWriteResult(context, sentence, data, `parley numbers update ${data.id} --nickname <name>`)
  if (isEarlier || charged === undefined || quoted === undefined || charged === quoted) return undefined
  await context.notes.warn(
    `The price changed during the purchase: ${phoneNumber} costs ${monthlyPrice(charged)}, not ${monthlyPrice(quoted)}. To end it: parley numbers release ${data.id}`,
  )
  return 'finding'
}

/** Returns a number as the account has it now; undefined if the platform does not list it or cannot be read. */
async function readPurchased(context: Context, phoneNumber: string): Promise<{ readonly price?: unknown } | undefined> {
  const listed = await context.call(numbers.list, {}).catch(() => undefined)
  return listed?.data.find((it) => it.phone_number === phoneNumber)
}

/** Adds the price that was read back to the journal entry of a purchase. A write error does not change the outcome. */
async function recordPrice(context: Context, phoneNumber: string, costUsd: number): Promise<void> {
  const journal = await context.journal()
  const { platform } = await context.connection()
  try {
    const entry = journal
      .list({ texts: [numbers.buy.name, phoneNumber] })
      .findLast((it) => it.endpoint === numbers.buy.name && it.state === 'done' && isOnPlatform(it, platform))
    if (!entry || toShownEntry(entry).amount_usd === costUsd) return
    journal.recordOutcome(entry.id, 'done', { ...(entry.detail as object | undefined), costUsd })
  } catch (error) {
    await context.notes.warn(`The price could not be saved in the operations journal: ${(error as Error).message}`)
  }
}
