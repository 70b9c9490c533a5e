import type { RefusalReason, RefusalType } from '../../domain/event.ts'
import { type Facts, refusalDefinitionOf } from './events/table.ts'

/** Why a request was refused, in one word. */
export const reasonOf = <Type extends RefusalType>(refusal: Facts[Type]): RefusalReason =>
  refusalDefinitionOf<Type>(refusal._tag).reason(refusal)

/** The id of the application or user that the refusal is about; undefined when it is unknown. */
export const subjectIdOf = <Type extends RefusalType>(refusal: Facts[Type]): string | undefined =>
  refusalDefinitionOf<Type>(refusal._tag).subjectId(refusal)
