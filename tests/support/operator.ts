import type { Actor } from '../../domain/event.ts'

/** Who makes what a test needs to begin with. */
export const OPERATOR: Actor = { kind: 'operator' }
