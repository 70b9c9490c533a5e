import type { EventType } from '../../../domain/event.ts'
import type { RefusalType } from '../../../domain/event-row.ts'
import { APPLICATION_EVENTS } from './application-events.ts'
import type { EventDefinition, RefusalDefinition } from './definition.ts'
import { FACTOR_EVENTS } from './factor-events.ts'
import { KEY_EVENTS } from './key-events.ts'
import { MAIL_EVENTS } from './mail-events.ts'
import { ONE_TIME_TOKEN_EVENTS } from './one-time-token-events.ts'
import { PASSWORD_EVENTS } from './password-events.ts'
import { REFUSAL_EVENTS } from './refusal-events.ts'
import { SERVICE_EVENTS } from './service-events.ts'
import { SESSION_EVENTS } from './session-events.ts'
import { USER_EVENTS } from './user-events.ts'

const EVENTS = {
  ...APPLICATION_EVENTS,
  ...USER_EVENTS,
  ...SESSION_EVENTS,
  ...PASSWORD_EVENTS,
  ...ONE_TIME_TOKEN_EVENTS,
  ...FACTOR_EVENTS,
  ...KEY_EVENTS,
  ...MAIL_EVENTS,
  ...REFUSAL_EVENTS,
  ...SERVICE_EVENTS,
} satisfies { [Type in EventType]: EventDefinition<Type, never> } & {
  [Type in RefusalType]: RefusalDefinition<Type, never>
}

/** Per type of event: what a use case tells when it happens. */
export type Facts = { readonly [Type in EventType]: Readonly<{ _tag: Type } & Details<Type>> }

type Details<Type extends EventType> = Parameters<(typeof EVENTS)[Type]['event']>[0]

const DEFINITIONS: { readonly [Type in EventType]: EventDefinition<Type, Facts[Type]> } = EVENTS
const REFUSALS: { readonly [Type in RefusalType]: RefusalDefinition<Type, Facts[Type]> } = EVENTS

export const definitionOf = <Type extends EventType>(type: Type): EventDefinition<Type, Facts[Type]> =>
  DEFINITIONS[type]

export const refusalDefinitionOf = <Type extends RefusalType>(
  type: Type,
): RefusalDefinition<Type, Facts[Type]> => REFUSALS[type]

/** Whether a text names a type of event. */
export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text)

/** Whether a type is that of refused requests. */
export const isRefusalType = (type: EventType): type is RefusalType =>
  Object.hasOwn(EVENTS, type) && 'reason' in EVENTS[type]

/** Every type of event. */
export const EVENT_TYPES: ReadonlyArray<EventType> = Object.keys(EVENTS).filter(isEventType)
