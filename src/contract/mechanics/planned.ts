/** Resources that the server implements. It responds 501 to all other endpoints of the contract. */
export const builtResources: ReadonlySet<string> = new Set([
  'keys',
  'tools',
  'numbers',
  'messaging',
  'user',
  'models',
  'synthesizers',
  'transcribers',
  'voices',
  'languages',
  'folders',
  'labels',
  'knowledge',
  'sipTrunks',
  'assistants',
  'conversations',
  'calls',
  'replies',
  'sms',
  'campaigns',
  'leads',
  'automate',
])

/** Returns whether an endpoint is declared but not implemented. */
export const isPlanned = (name: string): boolean => !builtResources.has(name.slice(0, name.indexOf('.')))
