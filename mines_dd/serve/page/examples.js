// Positions to look at, and three that explain what the numbers mean.

import { fromText } from "./position.js";

const of = (name, text) => ({ name, position: fromText(text) });

export const EXAMPLES = [
  of("A guess of 50 to 50", `mines: 10
##F200000
13F200000
011101110
111001F10
1F1012210
11101F211
0122212F1
01FF10122
01221001F`),
  of("An expert game", `mines: 99
#############1002#############
#############2112#############
######223##1###212############
######11##2####301############
#####21123#####311############
#####100013#322##1############
####1110002#201111#1##########
###21#1111111000012#3#########
####2111#1001110001#4#########
####100112222#1111113#########
###2100012####21#1002#########
#42101112#####1111001#########
#21001######2220001122211#####
##1013########10013##1012#####
#3201#########3211###212######
##10122######2####23##########`),
  of("The pattern 1-2-2-1", `######
######
#1221#
#0000#`),
  of("Numbers in conflict", `######
#1#41#
######
#22###
######`),
];

export const LESSONS = [
  {
    ...of("The pattern 1-2-1", `###
###
121
000`),
    ask: [1, 1],
    text: [
      "Read the row of numbers. The 2 touches three closed cells, the left 1 the first two of them, the right 1 the last two.",
      "If the middle one were a mine, both 1s would be full, so it would be the only mine; but the 2 needs two. So the middle is safe (✓) and the two cells beside it are mines (✱).",
      "The proof is given under “Cell”: the numbers it needs are outlined, and none of them can be left out. The cells of the top row touch no number, so nothing is known of them.",
    ],
  },
  {
    ...of("A guess worth searching", `mines: 2
#1###`),
    ask: [0, 2],
    text: [
      "Nothing is certain here, and every closed cell has the same chance of a mine: 50 in 100. They are still not equally good.",
      "Four layouts are left. If you open an end cell and survive, its number tells you nothing new (†): you win one layout in four. If you open cell 2 or 3 and survive, the number you see settles the rest: you win two in four.",
      "So few layouts are left that the whole rest of the game was searched. That is why the move (★) comes with a chance to win, and why it can differ from the cell of least risk.",
    ],
  },
  {
    ...of("A true 50/50", `mines: 10
##F200000
13F200000
011101110
111001F10
1F1012210
11101F211
0122212F1
01FF10122
01221001F`),
    ask: [0, 0],
    text: [
      "Two closed cells, one mine. Both touch the same numbers, so no number can ever tell them apart: that is a 50/50 (½).",
      "Waiting does not help. Take such a guess at once: if it is lost, you have lost little time, and if it is won, the rest of the game is worth playing.",
      "The proof panel counts: one way with a mine in the corner, one without. A chance is nothing more than that, ways with a mine divided by all ways.",
    ],
  },
];
