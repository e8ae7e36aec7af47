import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Less than this below the edge is the padding, px. */
const SLACK_PX = 10;

interface ScrollBoxProps {
  /** Id of the heading that names what is in it. */
  readonly labelledBy: string;
  readonly children: ComponentChildren;
}

/** A list that may be longer than its room, and says so while there is more below. */
export const ScrollBox = ({ labelledBy, children }: ScrollBoxProps) => {
  const box = useRef<HTMLDivElement>(null);
  const [isMore, setIsMore] = useState(false);
  const look = (): void => {
    const it = box.current;
    if (it === null) return;
    setIsMore(it.scrollHeight - it.scrollTop - it.clientHeight > SLACK_PX);
  };
  useEffect(look);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current !== null) observer.observe(box.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return (
    <div class="scroll-box">
      <div
        ref={box}
        class="scroll"
        tabIndex={0}
        role="group"
        aria-labelledby={labelledBy}
        onScroll={look}
      >
        {children}
      </div>
      {isMore && (
        <p class="more-below" aria-hidden="true">
          More below ▾
        </p>
      )}
    </div>
  );
};
