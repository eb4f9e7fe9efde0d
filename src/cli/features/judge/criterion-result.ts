import * as z from '../../../contract/schema/schema.ts'

/** Words of a message, as they are in the text without personal data. */
export const Quote = z.object({
  message: z.int().describe('Position in the conversation, from 1'),
  text: z.string(),
})
export type Quote = z.output<typeof Quote>

/** The result of one criterion. Other programs read it: fields and words are added, not renamed. */
export const CriterionResult = z.object({
  id: z.string(),
  by: z.enum(['check', 'model']),
  status: z
    .enum(['judged', 'unjudged', 'skipped', 'not_applicable'])
    .describe('unjudged: the model gave no score that can be trusted; skipped: no model was asked'),
  score: z.number().nullable().describe('From 0 to 1; null if it was not judged'),
  reason: z.string(),
  quotes: z.array(Quote),
})
export type CriterionResult = z.output<typeof CriterionResult>

/** Results of a judged conversation or call, in the order of the summary. Scripts read them in the results: they are added, not renamed. */
export const itemResults = ['passed', 'failed', 'unjudged', 'not_applicable'] as const

/** A judged conversation or call. Scripts read it as JSON: fields are added, not renamed. */
export const JudgedItem = z.object({
  id: z.string(),
  assistant: z.string(),
  created_at: z.string(),
  result: z.enum(itemResults),
  score: z.number().nullable().describe('Weighted mean of the judged criteria, from 0 to 1'),
  gate_score: z.number().nullable().describe('The score that --min counts: criteria that were not judged are 0'),
  messages: z.int(),
  criteria: z.array(CriterionResult),
  scenario: z.string().nullable().describe('With --to-test: the file of the scenario of a failure'),
})
export type JudgedItem = z.output<typeof JudgedItem>

/**
 * What a run says about one criterion, or about all together. It is printed and saved (results-file.ts): fields are added, not
 * renamed.
 */
export const CriterionSummary = z.object({
  criterion: z.string().describe('Id of the criterion; "total" for all together'),
  judged: z.int(),
  unjudged: z.int(),
  score: z.number().nullable().describe('Mean of the judged ones, from 0 to 1'),
  gate_score: z.number().nullable().describe('Mean with those that could not be judged as 0'),
  previous: z.number().nullable().describe('Score of the run before'),
  change: z.number().nullable(),
})
export type CriterionSummary = z.output<typeof CriterionSummary>
