import { detectDrifts } from './detect-drift.ts'
import { groups, quickGroups } from './drift-groups.ts'

detectDrifts(Object.keys(groups).filter((it) => !quickGroups.includes(it)))
