/** Payment methods of the local processor, with the reason why each declines every charge; null when it works. */
export const paymentMethods = {
  pm_card_visa: null,
  pm_card_declined: 'The card was declined.',
  pm_card_expired: 'The card has expired.',
} as const satisfies Readonly<Record<string, string | null>>

/** Returns why a method declines a charge, or null. An unknown method declines too. */
export function declineReason(method: string): string | null {
  return Object.hasOwn(paymentMethods, method)
    ? paymentMethods[method as keyof typeof paymentMethods]
    : `Unknown payment method "${method}".`
}
