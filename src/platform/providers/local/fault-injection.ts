/**
 * The operations of providers that tests can interfere with. Rows of fault rules have these names; `providerSteps` of
 * contract/control/simulate.ts has those that `simulate failure` takes.
 */
type ProviderOperation =
  | 'telephony.search'
  | 'telephony.find'
  | 'telephony.order'
  | 'telephony.release'
  | 'payments.charge'
  | 'payments.refund'
  | 'channel.send'
  | 'channel.look'
  | 'reader.read'
  | 'voice.create'
  | 'voice.delete'
  | 'calendars.event'
  | 'calendars.owner'
  | 'language.reply'
  | 'language.extract'
  | 'carrier.dial'
  | 'carrier.look'
  | 'carrier.hangUp'
  | 'carrier.answer'
  | 'texting.send'
  | 'mail.send'
  | 'sheets.change'
  | 'sheets.apply'
  | 'bookings.change'
  | 'crm.change'

/** The points at which a test can interfere with an operation. */
export type InjectionPoint = `${ProviderOperation}:${'before' | 'after'}`

/**
 * Waits, fails or kills the process at a point, to simulate a slow or broken provider or a crash. A rejection becomes
 * the rejection of the operation.
 */
export type FaultInjector = (point: InjectionPoint) => Promise<void>

/**
 * Runs `body` between the two injection points of an operation. A rejection after it leaves the effects of `body` in
 * place, as when a response is lost.
 */
export async function withFaultInjection<T>(
  injectFault: FaultInjector | undefined,
  operation: ProviderOperation,
  body: () => Promise<T>,
): Promise<T> {
  await injectFault?.(`${operation}:before`)
  const result = await body()
  await injectFault?.(`${operation}:after`)
  return result
}
