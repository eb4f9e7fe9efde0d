/**
 * Values extracted from a call or conversation if the assistant has no `post_call_schema` (facts 3.1). Automations read
 * the names, and the sample of event-samples.ts in engine/templates has a value of each.
 */
export const defaultExtraction = [
  {
    name: 'status',
    type: 'bool',
    description: 'Whether the customer got what they wanted, or agreed to what they were offered',
  },
  {
    name: 'summary',
    type: 'string',
    description: 'What the conversation was about and how it ended, in two or three sentences',
  },
] as const
