/**
 * What the table does. Performed only after the row that decided it is durable, except
 * `gate locked`, which may come first.
 */
export type Directive =
  | { readonly to: 'gate'; readonly locked: boolean }
  | {
      readonly to: 'tower';
      readonly colour: 'green' | 'amber' | 'red';
      readonly light: 'steady' | 'blink';
    }
  | { readonly to: 'sound'; readonly pattern: 'stop' | 'hold' | 'notice' | 'escalate' }
  | {
      readonly to: 'display';
      readonly line1: string;
      readonly line2: string;
      readonly clause: string;
      readonly step: string;
    }
  | { readonly to: 'announce'; readonly text: string }
  | { readonly to: 'video'; readonly mark: string };
