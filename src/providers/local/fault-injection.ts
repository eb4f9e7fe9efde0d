/** The moments at which a local provider lets somebody in: before and after each of its steps. */
export type InjectionPoint =
  `${'telephony.search' | 'telephony.find' | 'telephony.order' | 'telephony.release' | 'payments.charge' | 'payments.refund' | 'channel.send' | 'reader.read' | 'voice.create' | 'voice.delete' | 'calendars.event' | 'calendars.owner' | 'language.reply' | 'language.extract' | 'carrier.dial' | 'carrier.look' | 'texting.send' | 'mail.send' | 'sheets.change' | 'sheets.apply' | 'bookings.change' | 'crm.change' | 'before' | 'after' | 'channel.look' | 'carrier.answer'}:${'before' | 'after'}`

/** Waits, fails or kills the process: how a slow or broken outside world is made, and a crash between two states. A rejection becomes the step's own. */
export type FaultInjector = (step: InjectionPoint) => Promise<void>

type ProviderOperation = InjectionPoint extends `${infer Name}:${string}` ? Name : never

/** Runs `body` between the two moments of a step. What `body` did stays done when the gate rejects after it, as when an answer is lost on its way back. */
export async function withFaultInjection<T>(
  injectFault: FaultInjector | undefined,
  step: ProviderOperation,
  body: () => Promise<T>,
): Promise<T> {
  await injectFault?.(`${step}:before`)
  const result = await body()
  await injectFault?.(`${step}:after`)
  return result
}
