/** Resources the server answers. Everything else the contract declares is planned, and answered 501 until it is built. */
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

/** Whether an endpoint of this name is declared and not yet built. */
export const isPlanned = (name: string): boolean => !builtResources.has(name.slice(0, name.indexOf('.')))
