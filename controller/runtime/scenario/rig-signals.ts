import type { Rules } from '../../core/decide.js';
import type { Rig, StepSeen } from './rig.js';

export const signalsRig = (_rules: Rules, _seen: StepSeen, _record?: string): Promise<Rig> =>
  Promise.reject(new Error('not yet'));
