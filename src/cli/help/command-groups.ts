/** Command groups of `parley --help`. A command without a group fails `npm run generate`. */
export const commandGroups: Readonly<Record<string, readonly string[]>> = {
  'Get started': ['demo', 'login', 'whoami', 'doctor', 'help'],
  Resources: [
    'assistants',
    'numbers',
    'tools',
    'knowledge',
    'keys',
    'sip-trunks',
    'folders',
    'labels',
    'voices',
    'languages',
    'models',
    'synthesizers',
    'transcribers',
  ],
  'Automations and messaging': ['automate', 'messaging', 'conversations', 'calls', 'campaigns', 'leads'],
  'Local platform': ['server', 'events'],
  'Safety and history': ['ops', 'history', 'refs'],
  'Configuration as code': ['pull', 'diff', 'push'],
  'Configuration and scripting': ['profile', 'api', 'schema', 'commands', 'completion'],
}
