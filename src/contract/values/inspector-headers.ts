/**
 * Headers that the page of the inspector sends to its server. A page of others cannot set them. Both are of the same version
 * and read the names here, so that they may change.
 */
export const inspectorHeaders = {
  /** In every request, with the value 1. */
  page: 'parley-inspector',
  /** Id of the account whose resources the page shows. */
  account: 'parley-inspector-account',
  /** The word or name that confirms a dangerous request, encoded: names are not ASCII. */
  confirm: 'parley-inspector-confirm',
  /** Identifies the question that was confirmed. */
  agreement: 'parley-inspector-agreement',
  /** API key with the scope approve. */
  key: 'parley-inspector-key',
} as const
