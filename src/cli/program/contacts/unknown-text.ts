/** Returns what a dry run does not know because it could not be read, and why. */
export const unknownText = (facts: readonly string[], { message }: Pick<Error, 'message'>): string =>
  `Not known: ${facts.join(', ')}. ${message}`
