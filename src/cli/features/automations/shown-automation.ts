import { Automation } from '../../../contract/automations/automation-records.ts'
import * as z from '../../../contract/schema/schema.ts'

/**
 * Automation as `automate get` prints it. Users save it and pass the file to other commands (flow-shapes.ts): fields are
 * added, not renamed.
 */
export const ShownAutomation = Automation.extend({
  webhook_url: z.string().nullable().describe('URL that starts the automation; null if it has none'),
  live_version: z
    .int()
    .nullable()
    .describe('Number of the live version; null if the platform does not number versions'),
})
export type ShownAutomation = z.output<typeof ShownAutomation>
