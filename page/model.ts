/**
 * The content of a page: a run, a run in progress, or a comparison. It is plain JSON data, and its texts are
 * plain text, because they may come from a server under test.
 */

export type Tone = 'pass' | 'fail' | 'invalid';

/** Values of both sides of a comparison, on one axis. */
export interface Dots {
  base: (number | null)[];
  head: (number | null)[];
  baseMedian: number | null;
  headMedian: number | null;
}

export type Cell =
  | string
  | {
      text: string;
      /** Less important text after the main text. */
      aside?: string;
      tone?: Tone;
      /** ID of a chart of this cell, if there is one. */
      chart?: string;
      isCode?: true;
      /** Drawn instead of the text, which has the same content. */
      dots?: Dots;
    };

export interface Table {
  head: string[];
  /** The first cell is the name of the row. */
  rows: Cell[][];
  title?: string;
}

export interface Figure {
  name: string;
  value: string;
  /** The limit of the figure, or another note about it. */
  next: string;
  tone?: Tone;
}

/** Names of colours in page.css. */
export type Colour = 'text' | 'quiet' | 'blue' | 'orange' | 'green' | 'purple';

export interface Line {
  /** Key in Plots.series. */
  series: string;
  name: string;
  colour: Colour;
  /** A target or a limit. */
  isDashed?: true;
  /** On the axis on the right. */
  isRight?: true;
}

export interface Chart {
  id: string;
  title: string;
  about?: string;
  /** Same as in contract/units.js. */
  unit: string;
  rightUnit?: string;
  /** Maximum of the axis, for shares of a whole. */
  max?: number;
  isLogarithmic?: true;
  lines: Line[];
  /** Thresholds that the findings used. */
  limits?: number[];
  /** Show only the marks of the finding with this number; absent: of all findings. */
  finding?: number;
}

/** Seconds since the run's start. */
export interface Span {
  name: string;
  kind: 'measured' | 'overload' | 'unmeasured';
  fromS: number;
  toS: number;
}

/** Time at which a series of a finding reached its threshold. */
export interface Mark {
  finding: number;
  atS: number;
}

export interface Plots {
  /** Unix time of the run's start. */
  startedS: number;
  /** Time of the first point, in seconds since `startedS`. */
  fromS: number;
  stepS: number;
  series: Record<string, (number | null)[]>;
  phases: Span[];
  marks: Mark[];
  /** Charts in a stack with a common time axis. */
  strip: Chart[];
  /** All other charts. */
  charts: Chart[];
}

export interface Finding {
  /** null for a note. */
  number: number | null;
  kind: string;
  about: string;
  statement: string;
  evidence: string[];
  observations?: Table;
  /** ID of the chart below the finding. */
  chart?: string;
  /** Recommended action; the last line. */
  remedy?: string;
}

export interface Section {
  id: string;
  title: string;
  isFolded?: true;
  texts?: string[];
  tables?: Table[];
  facts?: [name: string, value: string][];
  /** IDs of charts. */
  charts?: string[];
}

export interface Page {
  /** pass, fail, invalid, error, running; for a comparison: same, better, worse, inconclusive. */
  outcome: string;
  /** One sentence, which begins with the outcome. */
  headline: string;
  /** The test, or the subject of the comparison. */
  title: string;
  reasons: string[];
  about: string[];
  figures: Figure[];
  plots: Plots | null;
  /** Text in place of the strip. */
  noPlots?: string;
  findings: Finding[] | null;
  sections: Section[];
}
