import { drill } from './support/rollback-drill.ts'
import { byScript } from './support/unattended.ts'

drill('unattended', byScript)
