import type { Actor } from '../../domain/event.ts'

/** The actor of the setup of a test. */
export const OPERATOR: Actor = { kind: 'operator' }
