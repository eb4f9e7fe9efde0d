/** The help topics, and what each is about. */
export const topicSummaries = {
  'exit-codes': 'What a script may rely on',
  errors: 'Every refusal of the platform, its status and its exit code',
  flags: 'Flags of every command',
  output: 'Output forms, and what stands where',
  profiles: 'Platforms to talk to: which is used, and what a profile holds',
  vocabulary: 'Deployments that spell words and paths otherwise',
  conformance: 'How a platform is compared with what is documented',
  bulk: 'Many leads or messages from one file, interrupted and gone on with',
  'embedded-platform': 'The platform inside this program',
  accessibility: 'Screen readers, colour, motion',
  privacy: 'What stays on this machine, and for how long',
  environment: 'Environment variables',
} as const
