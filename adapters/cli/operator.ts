import type { RequestContext } from '../../application/recording/recorder.ts'
import { isName } from '../../domain/name.ts'
import type { Settings } from '../config/settings.ts'
import type { CommandContext } from './command-context.ts'

/**
 * The context of a command, with the operator's name for the event log: `OPERATOR`, else `SUDO_USER`, else the system's user. Operators
 * can set these variables, so the name proves nothing (docs/events.md).
 */
export const operatorContext = (
  { operator }: Settings,
  { environment, systemUser }: CommandContext,
): RequestContext => {
  const name = [operator, environment.SUDO_USER, systemUser()].find((one) => one !== undefined && isName(one))
  return name === undefined ? {} : { operator: name }
}
