size,probability
1000,0.5
500,0.8
2000,1
