/** What the local providers do for somebody outside. */
export type ProviderOperation =
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
  | 'carrier.answer'
  | 'texting.send'
  | 'mail.send'
  | 'sheets.change'
  | 'sheets.apply'
  | 'bookings.change'
  | 'crm.change'

/** The moments at which a test can interfere with an operation. */
export type InjectionPoint = `${ProviderOperation}:${'before' | 'after'}`

/** Waits, fails or kills the process at a moment, to simulate a slow or broken provider or a crash. A rejection becomes the operation's own. */
export type FaultInjector = (point: InjectionPoint) => Promise<void>

/** Runs `body` between the two moments of an operation. Its effects remain when the injector rejects afterwards, as when a response is lost. */
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
