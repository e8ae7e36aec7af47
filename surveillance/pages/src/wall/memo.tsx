import { Component, type FunctionComponent } from 'preact';

const differs = (a: object, b: object): boolean => {
  const [before, after] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return before.length !== after.size || before.some(([key, value]) => after.get(key) !== value);
};

/** A part that is drawn anew only when one of its properties is another one. */
export const memo = <P extends object>(Inner: FunctionComponent<P>) =>
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return differs(this.props, next);
    }

    override render() {
      return <Inner {...this.props} />;
    }
  };
