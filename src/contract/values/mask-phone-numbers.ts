/** Whom somebody called is nobody else's business: of a number, only its beginning and its end are told. */
export const maskPhoneNumbers = (text: string): string =>
  text.replace(/(\+|%2B)(\d{2})\d{3,9}(\d{3})(?!\d)/gi, '$1$2…$3')
