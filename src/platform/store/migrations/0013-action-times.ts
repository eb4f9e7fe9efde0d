// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Index for deleting old results of actions of automations. */
export const actionTimes: Migration = {
  version: 13,
  name: 'action-times',
  up: ['create index automation_act_created on automation_act (created_at)'],
}
