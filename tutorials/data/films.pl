% Twenty invented people and fourteen invented films: made for this tutorial.
% enjoys(Person, Genre), genre(Film, Genre), friend(Person, Person), neighbour(Person, Person),
% praises(Person, Film): what they talk about.
genre(apollo, space).
genre(big_river, crime).
genre(clown_car, comedy).
genre(dragon_hill, fantasy).
genre(edge_of_light, space).
genre(four_cats, comedy).
genre(grey_street, crime).
genre(hollow_king, fantasy).
genre(iron_orbit, space).
genre(jackpot, crime).
genre(kite_season, comedy).
genre(lantern, fantasy).
genre(moon_tea, comedy).
genre(night_train, crime).

enjoys(ann, space).
friend(ann, leo). friend(ann, ida). friend(ann, rosa).
neighbour(ann, dan). neighbour(ann, hugo).
praises(ann, clown_car). praises(ann, dragon_hill).

enjoys(ben, crime).
friend(ben, ann). friend(ben, dan). friend(ben, eva).
neighbour(ben, tess). neighbour(ben, ida).
praises(ben, iron_orbit). praises(ben, kite_season). praises(ben, jackpot).

enjoys(cleo, space).
friend(cleo, eva). friend(cleo, kim). friend(cleo, noa).
neighbour(cleo, ann). neighbour(cleo, mia).
praises(cleo, edge_of_light). praises(cleo, dragon_hill).

enjoys(dan, crime). enjoys(dan, comedy).
friend(dan, ann). friend(dan, tess).
neighbour(dan, mia). neighbour(dan, pia).
praises(dan, lantern). praises(dan, apollo).

enjoys(eva, fantasy).
friend(eva, hugo). friend(eva, ben).
neighbour(eva, finn). neighbour(eva, quin).
praises(eva, edge_of_light). praises(eva, grey_street).

enjoys(finn, comedy).
friend(finn, noa). friend(finn, tess). friend(finn, otto).
neighbour(finn, tess). neighbour(finn, eva).
praises(finn, dragon_hill). praises(finn, apollo). praises(finn, moon_tea).

enjoys(gina, comedy). enjoys(gina, fantasy).
friend(gina, tess). friend(gina, hugo).
neighbour(gina, noa). neighbour(gina, finn).
praises(gina, edge_of_light). praises(gina, four_cats).

enjoys(hugo, space).
friend(hugo, jan). friend(hugo, leo). friend(hugo, cleo).
neighbour(hugo, eva). neighbour(hugo, kim).
praises(hugo, big_river). praises(hugo, four_cats).

enjoys(ida, crime). enjoys(ida, fantasy).
friend(ida, leo). friend(ida, ann). friend(ida, otto).
neighbour(ida, hugo). neighbour(ida, tess).
praises(ida, hollow_king). praises(ida, four_cats).

enjoys(jan, comedy).
friend(jan, eva). friend(jan, hugo).
neighbour(jan, gina). neighbour(jan, finn).
praises(jan, jackpot). praises(jan, apollo).

enjoys(kim, comedy).
friend(kim, dan). friend(kim, ann). friend(kim, ben).
neighbour(kim, sam). neighbour(kim, gina).
praises(kim, hollow_king). praises(kim, four_cats).

enjoys(leo, crime).
friend(leo, quin). friend(leo, finn). friend(leo, gina).
neighbour(leo, noa). neighbour(leo, quin).
praises(leo, apollo). praises(leo, night_train). praises(leo, jackpot).

enjoys(mia, comedy). enjoys(mia, crime).
friend(mia, rosa). friend(mia, gina). friend(mia, eva).
neighbour(mia, cleo). neighbour(mia, otto).
praises(mia, hollow_king). praises(mia, big_river).

enjoys(noa, space).
friend(noa, mia). friend(noa, dan). friend(noa, tess).
neighbour(noa, ben). neighbour(noa, dan).
praises(noa, four_cats). praises(noa, clown_car). praises(noa, big_river).

enjoys(otto, crime). enjoys(otto, fantasy).
friend(otto, gina). friend(otto, ann). friend(otto, ida).
neighbour(otto, dan). neighbour(otto, ben).
praises(otto, hollow_king). praises(otto, iron_orbit).

enjoys(pia, fantasy).
friend(pia, jan). friend(pia, ann). friend(pia, gina).
neighbour(pia, rosa). neighbour(pia, ida).
praises(pia, lantern). praises(pia, apollo). praises(pia, night_train).

enjoys(quin, comedy).
friend(quin, mia). friend(quin, dan).
neighbour(quin, hugo). neighbour(quin, mia).
praises(quin, moon_tea). praises(quin, four_cats).

enjoys(rosa, comedy). enjoys(rosa, crime).
friend(rosa, eva). friend(rosa, gina).
neighbour(rosa, ida). neighbour(rosa, noa).
praises(rosa, big_river). praises(rosa, kite_season). praises(rosa, hollow_king).

enjoys(sam, fantasy). enjoys(sam, crime).
friend(sam, ida). friend(sam, ann). friend(sam, kim).
neighbour(sam, pia). neighbour(sam, jan).
praises(sam, night_train). praises(sam, grey_street).

enjoys(tess, comedy). enjoys(tess, fantasy).
friend(tess, mia). friend(tess, cleo). friend(tess, rosa).
neighbour(tess, quin). neighbour(tess, finn).
praises(tess, night_train). praises(tess, hollow_king).
