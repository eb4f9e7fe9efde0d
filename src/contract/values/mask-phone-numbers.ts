/**
 * Masks the middle digits of phone numbers in a text, because the numbers of customers are personal data. What the client logs
 * has them so; the request log of a server stores them in full, and masks them when it is shown.
 */
export const maskPhoneNumbers = (text: string): string =>
  text.replace(/(\+|%2B)(\d{2})\d{3,9}(\d{3})(?!\d)/gi, '$1$2…$3')
