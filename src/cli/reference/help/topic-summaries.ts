/** Help topics and their summaries. */
export const topicSummaries = {
  'exit-codes': 'Exit codes and their meanings',
  errors: 'Platform errors, their HTTP status and exit code',
  flags: 'Global flags',
  output: 'Output formats and streams',
  lists: 'Filter and sort lists',
  profiles: 'Which platform commands use, and profile settings',
  approvals: 'What coding agents do only after a person has approved it',
  vocabulary: 'Deployments with other field names and paths',
  conformance: 'Compare a platform with the documentation',
  pieces: 'Triggers and steps of automations',
  bulk: 'Import leads and send messages from a file',
  agents: 'Rules, approvals and recipes for coding agents',
  'local-platform': 'The local platform',
  accessibility: 'Screen readers, color and animation',
  privacy: 'Files stored on this machine and their retention',
  environment: 'Environment variables',
} as const
