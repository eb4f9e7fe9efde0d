/**
 * What HTTP can send as the name and as the value of a header, and the sentences about other texts. Tools, flags of
 * tools and HTTP steps are refused with these sentences.
 */
export const httpHeader = {
  name: /^[!#$%&'*+.^_`|~\w-]+$/,
  nameRule: 'A header name has only letters, digits and characters such as - and _.',
  value: /^[\t\x20-\x7e\x80-\xff]*$/,
  valueRule: 'A header value has no line breaks, no control characters, and only characters of Latin-1.',
} as const
